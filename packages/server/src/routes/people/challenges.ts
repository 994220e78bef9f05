import { readBatchToSign, readDecisionToSign } from '@countersign/core';
import { challengeSchema, newChallengeSchema } from '@countersign/protocol';
import { HttpProblem } from '../../app/http-problem.js';
import { problemTexts } from '../../app/problem-texts.js';
import { route } from '../../app/route.js';
import { createChallenge } from '../../confirmations/create-challenge.js';
import { actionsOf } from '../../people/access.js';
import { byOf } from '../../people/by.js';
import { pageOrigin } from '../support.js';

export const challengeRoutes = [
  route({
    method: 'post',
    path: '/me/challenges',
    scope: 'web-app',
    needs: 'read',
    tag: 'people',
    summary: 'Start a confirmation with a passkey',
    description:
      'Sign `options.challenge` with one of your trusted passkeys (WebAuthn), and send the signature as `confirmation` with the request that you confirm. A challenge works once, for five minutes.',
    body: newChallengeSchema,
    answers: { 201: { description: 'The challenge', schema: challengeSchema } },
    async handle({ context, body: { action }, c }) {
      const { runtime } = context.engine;
      const about = { action, origin: pageOrigin(c, context) };
      if (action.kind !== 'sign-call' && action.kind !== 'sign-batch')
        return { status: 201, body: await createChallenge(runtime.store, byOf(c), about) };
      if (!actionsOf(c.var.access, action.world).has('read'))
        throw new HttpProblem(404, problemTexts.noWorld(action.world));
      const decision =
        action.kind === 'sign-call'
          ? await readDecisionToSign(runtime, action.world, action.approval)
          : await readBatchToSign(runtime, action.world, action.batch, action.batchHash);
      return { status: 201, body: await createChallenge(runtime.store, byOf(c), { ...about, decision }) };
    },
  }),
];
