import { createBatch, decideBatch } from '@countersign/core';
import { batchDecisionSchema, batchReplySchema, batchSchema, newBatchSchema } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { confirmDecision } from '../confirmations/confirm-decision.js';
import { byOf } from '../people/by.js';
import { AS_CLIENT, pageOrigin, requireApprovals, signerOf } from './support.js';

const tag = 'approvals';

export const batchRoutes = [
  route({
    method: 'post',
    path: '/worlds/{world}/batches',
    scope: 'world',
    needs: 'sign',
    tag,
    summary: 'Review several calls together',
    description:
      'Rehearses 2 to 20 waiting calls of one chat one after another in one draft, and returns what each does and what all change together. Applies nothing. The same calls have the same batch until something changes. 409 if a call fails, a rule denies one, or they can’t be reviewed together.',
    headers: AS_CLIENT,
    body: newBatchSchema,
    answers: { 201: { description: 'The batch', schema: batchSchema } },
    async handle({ context, params, body, c }) {
      await requireApprovals(c, context, params.world);
      const signer = await signerOf(c, context, params.world);
      return { status: 201, body: await createBatch(context.engine.runtime, params.world, body, signer) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/batches/{batch}/decision',
    scope: 'world',
    needs: 'sign',
    tag,
    summary: 'Decide all calls of a batch',
    description:
      'Approving applies what the calls change together as a whole or not at all. 409 if a call, a rule or the folder changed since the batch was shown; 404 if it is no longer kept on this server.',
    headers: AS_CLIENT,
    body: batchDecisionSchema,
    answers: { 200: { description: 'Decision recorded, now or earlier', schema: batchReplySchema } },
    async handle({ context, params, body, c }) {
      await requireApprovals(c, context, params.world);
      const signer = await signerOf(c, context, params.world);
      const { runtime } = context.engine;
      const { confirmation, ...decision } = body;
      const { world, batch } = params;
      const action = { kind: 'sign-batch', world, batch, batchHash: body.batchHash } as const;
      const receipt =
        confirmation === undefined
          ? undefined
          : await confirmDecision(
              runtime.store,
              byOf(c),
              { action, confirmation, origin: pageOrigin(c, context) },
              { ...decision, tool_call_id: batch },
            );
      const outcome = await decideBatch(runtime, world, batch, body, signer, receipt);
      const { status, kind, state } = outcome;
      if (kind !== 'refused') return { status: 200, body: { kind, state } };
      throw new HttpProblem(status, outcome.detail, state === undefined ? {} : { state });
    },
  }),
];
