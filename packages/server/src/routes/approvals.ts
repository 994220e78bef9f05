import { listGrants, pageApprovals, readWorld, revealApproval, revokeGrant, showApproval } from '@countersign/core';
import {
  approvalsQuerySchema,
  approvalWithContextSchema,
  grantSchema,
  listOf,
  listQuerySchema,
  newClientSchema,
  newToolResultSchema,
  queuedApprovalSchema,
  registeredClientSchema,
  revealedCallSchema,
  toolResultReplySchema,
  toolResultSchemaFor,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { sendToolResult } from './send-tool-result.js';
import { AS_CLIENT, PAGE, pageOf, refuseUnable, revealerOf, signerOf } from './support.js';

const tag = 'approvals';

export const approvalRoutes = [
  route({
    method: 'post',
    path: '/worlds/{world}/clients',
    tag: 'clients',
    summary: 'Say what a client can do',
    description:
      'It is there while a stream of it is open, and has 30 s to open one. Its tools are offered to agents as `app__…`; a call comes as the event TOOL_EXECUTION_STARTED and is answered under tool-results.',
    body: newClientSchema,
    answers: { 201: { description: 'Its secret, and the names of its tools', schema: registeredClientSchema } },
    handle: async ({ context, params, body, c }) => ({
      status: 201,
      body: await context.engine.clients.register(params.world, body, c.var.signer),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/approvals',
    tag,
    summary: 'What waits for a person, oldest first',
    description: 'With `status`, what was asked and has that status now.',
    headers: AS_CLIENT,
    query: approvalsQuerySchema,
    answers: { 200: { description: 'Questions, with their place in the queue', schema: listOf(queuedApprovalSchema) } },
    async handle({ context, params, query: { chat, status = 'pending', ...place }, c }) {
      await refuseUnable(c, context, params.world);
      const where = chat === undefined ? {} : { chatId: chat };
      const page = { limit: PAGE, ...place, ...where, status };
      return { status: 200, body: await pageApprovals(context.engine.runtime, params.world, page) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/approvals/{approval}',
    tag,
    summary: 'One question, with the last messages of its chat',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The question', schema: approvalWithContextSchema } },
    async handle({ context, params, c }) {
      await refuseUnable(c, context, params.world);
      const { runtime } = context.engine;
      await readWorld(runtime, params.world, async () => undefined);
      const approval = await showApproval(runtime, params.world, params.approval);
      if (approval === undefined) throw new HttpProblem(404, `there is no approval "${params.approval}" in this world`);
      return { status: 200, body: approval };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/approvals/{approval}/reveal',
    tag,
    summary: 'Show the secrets of a waiting call',
    description:
      'The arguments with nothing masked, for somebody who may decide about the call. Who asked and when goes into the audit log. 409 once the call no longer waits.',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The call as it would run', schema: revealedCallSchema } },
    async handle({ context, params, c }) {
      const { runtime } = context.engine;
      const signer = await revealerOf(c, context, params.world, () =>
        readWorld(runtime, params.world, async () => undefined),
      );
      const outcome = await revealApproval(runtime, params.world, params.approval, signer);
      if (outcome.kind === 'revealed') return { status: 200, body: outcome.call };
      const { status, detail, state } = outcome;
      throw new HttpProblem(status, detail, state === undefined ? {} : { state });
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/tool-results',
    tag,
    summary: 'Decide about a call, answer a question, or give the result of a client’s tool',
    description:
      'A decision signs the call with this callHash and no other; the same one again changes nothing. What comes too late is 409, what belongs to somebody else 403. With `Accept: text/event-stream` what follows streams until the chat is idle or waits.',
    headers: { ...AS_CLIENT, Accept: '`text/event-stream` to hear what follows' },
    body: newToolResultSchema,
    bodyFor: toolResultSchemaFor,
    answers: {
      200: [
        { description: 'It counts, or was known', schema: toolResultReplySchema },
        { description: 'What follows, as events', type: 'text/event-stream' },
      ],
    },
    handle: sendToolResult,
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/grants',
    tag: 'grants',
    summary: 'Grants in force, oldest first',
    query: listQuerySchema,
    answers: { 200: { description: 'Grants', schema: listOf(grantSchema) } },
    async handle({ context, params, query }) {
      const { runtime } = context.engine;
      await readWorld(runtime, params.world, async () => undefined);
      return { status: 200, body: pageOf(await listGrants(runtime, params.world), ({ grantId }) => grantId, query) };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/grants/{grant}',
    tag: 'grants',
    summary: 'Revoke a grant, from the next call on',
    headers: AS_CLIENT,
    answers: { 204: { description: 'It counts no more' } },
    async handle({ context, params, c }) {
      const signer = await signerOf(c, context, params.world);
      const revoked = await revokeGrant(context.engine.runtime, params.world, params.grant, signer);
      if (!revoked) throw new HttpProblem(404, `there is no grant "${params.grant}" in this world that still counts`);
      return { status: 204 };
    },
  }),
];
