import {
  listGrants,
  listUndoable,
  pageApprovals,
  pageWaiting,
  previewUndo,
  readWorld,
  revealApproval,
  revokeGrant,
  showApproval,
  showWholeEffect,
  undoCall,
} from '@countersign/core';
import {
  approvalsQuerySchema,
  approvalWithContextSchema,
  decisionResultSchema,
  grantSchema,
  listOf,
  listQuerySchema,
  newClientSchema,
  newDecisionsSchema,
  newToolResultSchema,
  newUndoSchema,
  queuedApprovalSchema,
  registeredClientSchema,
  revealedCallSchema,
  toolResultReplySchema,
  toolResultSchemaFor,
  undoableCallSchema,
  undoPreviewSchema,
  waitingCallSchema,
  wholeEffectSchema,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { decideSeveral } from './decide-several.js';
import { neededFor, sendToolResult } from './send-tool-result.js';
import {
  AS_CLIENT,
  isHiddenCall,
  NO_CALL,
  PAGE,
  pageOf,
  readCallOf,
  refuseClients,
  requireApprovals,
  revealerOf,
  signerOf,
} from './support.js';
import { problemTexts } from '../app/problem-texts.js';
import { actionsOf } from '../people/access.js';

const tag = 'approvals';

export const approvalRoutes = [
  route({
    method: 'get',
    path: '/approvals',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'List pending approvals of all worlds that you may read, oldest first',
    query: listQuerySchema,
    answers: { 200: { description: 'Approvals, with their worlds', schema: listOf(waitingCallSchema) } },
    async handle({ context, query, c }) {
      refuseClients(c);
      const mayRead = (worldId: string): boolean => actionsOf(c.var.access, worldId).has('read');
      return { status: 200, body: await pageWaiting(context.engine.runtime, mayRead, { limit: PAGE, ...query }) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/clients',
    scope: 'world',
    needs: 'chat',
    tag: 'clients',
    summary: 'Register a client',
    description:
      'A client is connected while its event stream is open, and has 30 s to open one. Agents see its tools as `app__…`. A call to one of them arrives as the event TOOL_EXECUTION_STARTED; send its result to tool-results.',
    body: newClientSchema,
    answers: {
      201: { description: "The client's secret, and the names of its tools", schema: registeredClientSchema },
    },
    handle: async ({ context, params, body, c }) => ({
      status: 201,
      body: await context.engine.clients.register(params.world, body, c.var.signer),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/approvals',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'List pending approvals, oldest first',
    description: '`status` filters by the current status.',
    headers: AS_CLIENT,
    query: approvalsQuerySchema,
    answers: {
      200: { description: 'Approvals, with their position in the queue', schema: listOf(queuedApprovalSchema) },
    },
    async handle({ context, params, query: { chat, status = 'pending', ...place }, c }) {
      await requireApprovals(c, context, params.world);
      const where = chat === undefined ? {} : { chatId: chat };
      const page = { limit: PAGE, ...place, ...where, status };
      return { status: 200, body: await pageApprovals(context.engine.runtime, params.world, page) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/approvals/{approval}',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'Get an approval, with the last messages of its chat',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The approval', schema: approvalWithContextSchema } },
    async handle({ context, params, c }) {
      await requireApprovals(c, context, params.world);
      const { runtime } = context.engine;
      await readWorld(runtime, params.world, async () => undefined);
      const approval = await showApproval(runtime, params.world, params.approval);
      if (approval === undefined) throw new HttpProblem(404, problemTexts.noApproval(params.approval));
      return { status: 200, body: approval };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/approvals/{approval}/effect',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'Get the whole effect of a pending call',
    description:
      'An approval has a truncated effect. This returns up to 5 MB of it, with at most 64 KiB for each file, masked in the same way. 404 if the call has no effect; 409 if its rehearsal is no longer kept on this server.',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The effect', schema: wholeEffectSchema } },
    async handle({ context, params, c }) {
      await requireApprovals(c, context, params.world);
      const { runtime } = context.engine;
      await readWorld(runtime, params.world, async () => undefined);
      const found = await showWholeEffect(runtime, params.world, params.approval);
      switch (found?.kind) {
        case undefined:
          throw new HttpProblem(404, problemTexts.noApproval(params.approval));
        case 'none':
          throw new HttpProblem(404, problemTexts.noEffect);
        case 'gone':
          throw new HttpProblem(409, problemTexts.effectGone);
        case 'shown':
          return { status: 200, body: { effect: found.effect } };
      }
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/approvals/{approval}/reveal',
    scope: 'approvals',
    needs: 'sign',
    tag,
    summary: 'Reveal the secrets of a pending call',
    description:
      'Returns the unmasked arguments if you may decide the call, and records this in the audit log. 409 if the call is no longer pending.',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The call as it would run', schema: revealedCallSchema } },
    async handle({ context, params, c }) {
      const { runtime } = context.engine;
      const signer = await revealerOf(c, context, params.world, () =>
        readWorld(runtime, params.world, async () => undefined),
      );
      const call = await runtime.store.read((reader) => readCallOf(reader, params.approval));
      const id = isHiddenCall(c, params.world, call) ? NO_CALL : params.approval;
      const outcome = await revealApproval(runtime, params.world, id, signer);
      if (outcome.kind === 'revealed') return { status: 200, body: outcome.call };
      const { status, detail, state } = outcome;
      throw new HttpProblem(status, detail, state === undefined ? {} : { state });
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/tool-results',
    scope: 'approvals',
    needs: neededFor,
    tag,
    summary: 'Decide a call, answer a question, or return the result of a client tool',
    description:
      'A decision applies only to the call with this `callHash`. Sending the same decision again changes nothing. 409 if the call was already decided, expired or changed; 403 if it belongs to another agent, chat or client. With `Accept: text/event-stream`, events stream until the chat is idle or waits for a person.',
    headers: { ...AS_CLIENT, Accept: '`text/event-stream` to receive the events that follow' },
    body: newToolResultSchema,
    bodyFor: toolResultSchemaFor,
    answers: {
      200: [
        { description: 'Decision recorded, now or earlier', schema: toolResultReplySchema },
        { description: 'The events that follow', type: 'text/event-stream' },
      ],
    },
    handle: sendToolResult,
  }),
  route({
    method: 'post',
    path: '/decisions',
    scope: 'approvals',
    needs: 'read',
    tag,
    summary: 'Decide several calls',
    description:
      'Each decision is judged and recorded on its own, as if it was sent to tool-results of its world with scope `once`. A refused one does not stop the others. A call that needs a passkey is refused.',
    body: newDecisionsSchema,
    answers: { 200: { description: 'One result for each decision, in order', schema: listOf(decisionResultSchema) } },
    handle: decideSeveral,
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/undo',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'List calls that can be undone, newest first',
    query: listQuerySchema,
    answers: {
      200: { description: 'Calls whose changes are kept on this machine', schema: listOf(undoableCallSchema) },
    },
    async handle({ context, params, query }) {
      const all = await listUndoable(context.engine.runtime, params.world);
      return { status: 200, body: pageOf(all, ({ toolCallId }) => toolCallId, query) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/calls/{call}/undo',
    scope: 'world',
    needs: 'sign',
    tag,
    summary: 'Show what undoing a call would do',
    description: 'Changes nothing. `state` says whether the call can be undone.',
    headers: AS_CLIENT,
    answers: {
      200: { description: 'The effect of undoing it, or why that is not possible', schema: undoPreviewSchema },
    },
    async handle({ context, params, c }) {
      await requireApprovals(c, context, params.world);
      return { status: 200, body: await previewUndo(context.engine.runtime, params.world, params.call) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/calls/{call}/undo',
    scope: 'world',
    needs: 'sign',
    tag,
    summary: 'Undo a call',
    description:
      'Reverts all files that the call changed, or none. 409 if one of them has been changed since, the effect is no longer the one with this `effectHash`, or the call was already undone.',
    headers: AS_CLIENT,
    body: newUndoSchema,
    answers: { 200: { description: 'Call undone', schema: undoPreviewSchema } },
    async handle({ context, params, body, c }) {
      await requireApprovals(c, context, params.world);
      const signer = await signerOf(c, context, params.world);
      return { status: 200, body: await undoCall(context.engine.runtime, params.world, params.call, body, signer) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/grants',
    scope: 'approvals',
    needs: 'read',
    tag: 'grants',
    summary: 'List active grants, oldest first',
    query: listQuerySchema,
    answers: { 200: { description: 'Grants', schema: listOf(grantSchema) } },
    async handle({ context, params, query }) {
      const { runtime } = context.engine;
      return { status: 200, body: pageOf(await listGrants(runtime, params.world), ({ grantId }) => grantId, query) };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/grants/{grant}',
    scope: 'approvals',
    needs: 'sign',
    tag: 'grants',
    summary: 'Revoke a grant',
    headers: AS_CLIENT,
    answers: { 204: { description: 'Grant revoked' } },
    async handle({ context, params, c }) {
      const signer = await signerOf(c, context, params.world);
      const revoked = await revokeGrant(context.engine.runtime, params.world, params.grant, signer);
      if (!revoked) throw new HttpProblem(404, problemTexts.noGrant(params.grant));
      return { status: 204 };
    },
  }),
];
