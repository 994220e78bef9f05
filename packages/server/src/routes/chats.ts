import {
  createChat,
  deleteChat,
  pageChats,
  pageMessages,
  publishMessage,
  renameChat,
  showChat,
  stopChat,
  toChat,
  turnTimeline,
} from '@countersign/core';
import {
  acceptedMessageSchema,
  bothWaysQuerySchema,
  chatChangeSchema,
  chatSchema,
  listOf,
  messageListSchema,
  newChatSchema,
  newMessageSchema,
  timelineSchema,
} from '@countersign/protocol';
import { route } from '../app/route.js';
import { streamEvents } from '../streams/stream-events.js';
import { AS_CLIENT, clientOf, PAGE, signerOf, wantsStream } from './support.js';

const tag = 'chats';

export const chatRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/chats',
    tag,
    summary: 'The chats of a world, oldest first',
    description: '`before=end` gives the newest.',
    query: bothWaysQuerySchema,
    answers: { 200: { description: 'Chats', schema: listOf(chatSchema) } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: await pageChats(context.engine.runtime, params.world, { limit: PAGE, ...query }),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats',
    tag,
    summary: 'Begin a chat',
    body: newChatSchema,
    bodyOptional: true,
    answers: { 201: { description: 'The chat', schema: chatSchema } },
    handle: async ({ context, params, body }) => ({
      status: 201,
      body: toChat(await createChat(context.engine.runtime, params.world, body.title)),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}',
    tag,
    summary: 'One chat',
    description: 'Open a stream after `lastEventId` to miss nothing.',
    answers: { 200: { description: 'The chat', schema: chatSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await showChat(context.engine.runtime, params.world, params.chat),
    }),
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}/chats/{chat}',
    tag,
    summary: 'Give a chat another title',
    body: chatChangeSchema,
    answers: { 200: { description: 'The chat as it is now', schema: chatSchema } },
    handle: async ({ context, params, body }) => ({
      status: 200,
      body: await renameChat(context.engine.runtime, params.world, params.chat, body),
    }),
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/chats/{chat}',
    tag,
    summary: 'Delete a chat',
    description: 'What runs in it is stopped first.',
    answers: { 204: { description: 'It is gone' } },
    async handle({ context, params, c }) {
      const signer = await signerOf(c, context, params.world);
      await deleteChat(context.engine.runtime, params.world, params.chat, signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/messages',
    tag,
    summary: 'Read a chat',
    description:
      'Oldest first, whichever way it is read. `before=end` gives the newest; then `next` is for `before`. The id of any message is a place too.',
    query: bothWaysQuerySchema,
    answers: { 200: { description: 'Messages', schema: messageListSchema } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: await pageMessages(context.engine.runtime, params.world, params.chat, { limit: PAGE, ...query }),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/messages',
    tag,
    summary: 'Say something',
    description:
      'With `Accept: text/event-stream` the answer streams until the chat is idle or waits for a person. The same `clientMessageId` again is the same message.',
    headers: { ...AS_CLIENT, Accept: '`text/event-stream` to hear what follows' },
    body: newMessageSchema,
    answers: {
      202: { description: 'It is kept, and will be answered', schema: acceptedMessageSchema },
      200: { description: 'What follows, as events', type: 'text/event-stream' },
    },
    async handle({ context, params, body, c }) {
      const { engine } = context;
      const { world: worldId, chat: chatId } = params;
      const client = await clientOf(c, context, worldId);
      const message = { ...body, worldId, chatId, speaker: 'human' } as const;
      if (!wantsStream(c)) return { status: 202, body: await publishMessage(engine.runtime, message) };
      return await streamEvents(c, {
        engine,
        worldId,
        chatId,
        untilSettled: true,
        act: () => publishMessage(engine.runtime, message),
        ...(client === undefined ? {} : { client }),
      });
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/chats/{chat}/stop',
    tag,
    summary: 'Stop a chat',
    description: 'Models and tools are stopped, pending approvals denied, and the chat is idle.',
    headers: AS_CLIENT,
    answers: { 204: { description: 'It is idle' } },
    async handle({ context, params, c }) {
      const signer = await signerOf(c, context, params.world);
      await stopChat(context.engine.runtime, params.world, params.chat, signer);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/chats/{chat}/turns/{turn}/timeline',
    tag,
    summary: 'What a turn spent its time on',
    description: '`turn` is the id of a turn, or of one of its tool turns as events have it.',
    answers: { 200: { description: 'Model calls, tools and waiting', schema: timelineSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await turnTimeline(context.engine.runtime, params.world, params.chat, params.turn),
    }),
  }),
];
