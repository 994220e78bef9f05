import { showChat, showWorld } from '@countersign/core';
import { approvalEventSchema, eventsQuerySchema, queueEventSchema, streamedEventSchema } from '@countersign/protocol';
import { route } from '../app/route.js';
import { streamEvents } from '../streams/stream-events.js';
import { streamQueues } from '../streams/stream-queues.js';
import { AS_CLIENT, clientOf, refuseClients, requireApprovals } from './support.js';

const tag = 'events';
const headers = { ...AS_CLIENT, 'Last-Event-ID': 'Id of the last event received. Overrides `after`.' };
const stream = { description: 'Events as they happen, each with an id', type: 'text/event-stream' };
const answers = { 200: { ...stream, schema: streamedEventSchema } };
const description =
  'Without `Last-Event-ID` the stream starts now. Events: message, sse, tool, tool-output, system, world, crud. `data` is one line of JSON. `reset` means that the id is no longer in the log: reload everything.';

export const eventRoutes = [
  route({
    method: 'get',
    path: '/approvals/events',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'Stream which worlds have changed waiting calls',
    description:
      'One event, `waiting`, for each change in a world that you may read. Read the waiting calls of that world again, and those of all worlds whenever the stream opens: events have no id and are not repeated.',
    answers: { 200: { ...stream, description: 'Changes as they happen', schema: queueEventSchema } },
    handle: async ({ context, c }) => {
      refuseClients(c);
      return await streamQueues(c, { engine: context.engine, watch: context.auth.streams });
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/approvals/events',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'Stream changes to approvals and grants',
    description:
      "Only the events TOOL_APPROVAL_REQUESTED, TOOL_APPROVED and TOOL_DENIED, and changes to approvals and grants. Event ids are the same as in the world's stream.",
    headers,
    query: eventsQuerySchema,
    answers: { 200: { ...stream, schema: approvalEventSchema } },
    async handle({ context, params, query, c }) {
      await requireApprovals(c, context, params.world);
      await showWorld(context.engine.runtime, params.world);
      return await streamEvents(c, {
        engine: context.engine,
        watch: context.auth.streams,
        worldId: params.world,
        only: 'approvals',
        ...query,
      });
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/events',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Stream the events of a world',
    description,
    headers,
    query: eventsQuerySchema,
    answers,
    async handle({ context, params, query, c }) {
      await showWorld(context.engine.runtime, params.world);
      const client = await clientOf(c, context, params.world);
      return await streamEvents(c, {
        engine: context.engine,
        watch: context.auth.streams,
        worldId: params.world,
        ...query,
        ...(client === undefined ? {} : { client }),
      });
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/events',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Stream the events of a chat',
    description,
    headers,
    query: eventsQuerySchema,
    answers,
    async handle({ context, params, query, c }) {
      await showChat(context.engine.runtime, params.world, params.chat);
      const client = await clientOf(c, context, params.world);
      return await streamEvents(c, {
        engine: context.engine,
        watch: context.auth.streams,
        worldId: params.world,
        chatId: params.chat,
        ...query,
        ...(client === undefined ? {} : { client }),
      });
    },
  }),
];
