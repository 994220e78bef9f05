import {
  addAgent,
  agentMemoryOf,
  agentVersion,
  readChat,
  removeAgent,
  showAgent,
  showAgents,
  toAgent,
  updateAgent,
} from '@countersign/core';
import {
  agentChangeSchema,
  agentSchema,
  listOf,
  listQuerySchema,
  memoryQuerySchema,
  messageSchema,
  confirmedAgentSchema,
  removalSchema,
  savedAgentSchema,
  unlistedModel,
  type Agent,
  type SavedAgent,
} from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { route } from '../app/route.js';
import { safeguardsOf } from '../confirmations/confirm-change.js';
import { etag, IF_MATCH, ifMatch, pageOf } from './support.js';

const tag = 'agents';

/** The list is only used for a warning, so it must not cause a long wait. */
const LIST_WAIT_MS = 5_000;

/** Says if the provider's list doesn't contain the agent's model. Nothing if there is no list. */
async function withWarning({ providers }: AppContext, agent: Agent): Promise<SavedAgent> {
  const listed = await providers?.models(agent.provider, LIST_WAIT_MS).catch(() => undefined);
  if (listed === undefined || listed.problem !== undefined) return agent;
  const unknownModel = unlistedModel(listed.items, agent.model);
  return unknownModel === undefined ? agent : { ...agent, unknownModel };
}

export const agentRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/agents',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'List the agents of a world, in the order they were added',
    query: listQuerySchema,
    answers: { 200: { description: 'Agents', schema: listOf(agentSchema) } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: pageOf(await showAgents(context.engine.runtime, params.world), ({ id }) => id, query),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/agents',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Add an agent',
    description:
      '`tools` are names or globs of the tools it may call. Default: none. An agent with `acp` runs a program outside any sandbox, so only admins of the whole server who may sign calls can add it, with a `confirmation` while any world has a rule `with passkey`.',
    body: confirmedAgentSchema,
    answers: { 201: { description: 'The agent', schema: savedAgentSchema } },
    async handle({ context, params, body, sent, c }) {
      const { confirmation: _, ...input } = body;
      const agent = await addAgent(context.engine.runtime, params.world, input, c.var.signer, {
        ...(await safeguardsOf({ c, context, sent })),
      });
      return {
        status: 201,
        body: await withWarning(context, toAgent(agent)),
        headers: etag(agentVersion(context.engine.runtime.store.hashKey, agent)),
      };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/agents/{agent}',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get an agent',
    answers: { 200: { description: 'The agent', schema: agentSchema } },
    async handle({ context, params }) {
      const { value, version } = await showAgent(context.engine.runtime, params.world, params.agent);
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}/agents/{agent}',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Update an agent',
    description:
      'Omitted fields stay unchanged. Null clears an optional field. Except for turning it off, an agent with `acp` can be changed only by admins of the whole server who may sign calls.',
    headers: IF_MATCH,
    body: agentChangeSchema,
    answers: { 200: { description: 'The updated agent', schema: savedAgentSchema } },
    async handle({ context, params, body, sent, c }) {
      const { confirmation: _, ...change } = body;
      const { runtime } = context.engine;
      const { value, version } = await updateAgent(runtime, params.world, params.agent, change, c.var.signer, {
        expected: ifMatch(c),
        ...(await safeguardsOf({ c, context, sent })),
      });
      const isOther = change['model'] !== undefined || change['provider'] !== undefined;
      return { status: 200, body: isOther ? await withWarning(context, value) : value, headers: etag(version) };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/agents/{agent}',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Remove an agent',
    description:
      'Its unfinished turns end first. The id is never reused. An agent with a rule `with passkey` needs a `confirmation`.',
    headers: IF_MATCH,
    body: removalSchema,
    bodyOptional: true,
    answers: { 204: { description: 'Agent removed' } },
    async handle({ context, params, sent, c }) {
      await removeAgent(context.engine.runtime, params.world, params.agent, c.var.signer, {
        expected: ifMatch(c),
        ...(await safeguardsOf({ c, context, sent })),
      });
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/agents/{agent}/memory',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get the memory of an agent in a chat',
    description: 'The messages it received, and its own calls, approvals, results and answers.',
    query: memoryQuerySchema,
    answers: { 200: { description: 'Messages, oldest first', schema: listOf(messageSchema) } },
    async handle({ context, params, query: { chat, ...place } }) {
      const { runtime } = context.engine;
      await showAgent(runtime, params.world, params.agent);
      await readChat(runtime, params.world, chat, async () => undefined);
      const messages = await agentMemoryOf(runtime, chat, params.agent);
      return { status: 200, body: pageOf(messages, ({ messageId }) => messageId, place) };
    },
  }),
];
