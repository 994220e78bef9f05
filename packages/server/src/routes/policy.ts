import {
  checkPolicy,
  coveredCalls,
  matchesInChat,
  replayPolicy,
  ruleUses,
  setPolicy,
  suggestRules,
  showPolicy,
  showTools,
} from '@countersign/core';
import {
  listedToolSchema,
  listOf,
  listQuerySchema,
  matchedCallsSchema,
  newPolicySchema,
  policyCheckSchema,
  policyMatchSchema,
  policyReplaySchema,
  policyVerdictSchema,
  replayedSchema,
  replayProgressSchema,
  ruleUsesSchema,
  shownPolicySchema,
  suggestionsSchema,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { mayOf, safeguardsOf } from '../confirmations/confirm-change.js';
import { withProgress } from '../streams/with-progress.js';
import { etag, ifMatch, pageOf } from './support.js';
import { problemTexts } from '../app/problem-texts.js';

const tag = 'policy';

export const policyRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/policy',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Get the policy of a world',
    description:
      '`rules` are the lines of the policy, with its comments (`# …`) and blank lines. `proposed` contains rules from an import. They have no effect until you add them to `rules`.',
    answers: { 200: { description: 'The policy', schema: shownPolicySchema } },
    async handle({ context, params }) {
      const { value, version } = await showPolicy(context.engine.runtime, params.world);
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'put',
    path: '/worlds/{world}/policy',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Replace the rules of a world',
    description:
      'Requires `If-Match`, so that nobody overwrites a rule they have not seen. Removing or changing a rule `with passkey` also requires a `confirmation`.',
    headers: { 'If-Match': 'ETag of the policy you read. 428 if missing, 412 if the policy has changed since.' },
    body: newPolicySchema,
    answers: { 200: { description: 'The updated policy', schema: shownPolicySchema } },
    async handle({ context, params, body, sent, c }) {
      const expected = ifMatch(c);
      // `If-Match: *` matches any version, so the sender may not have seen the current one.
      if (expected === undefined || expected === '*') {
        throw new HttpProblem(428, problemTexts.needsIfMatch);
      }
      const { value, version } = await setPolicy(context.engine.runtime, params.world, body.rules, c.var.signer, {
        expected,
        ...(await safeguardsOf({ c, context, sent })),
        ...(body.proposed === undefined ? {} : { keep: body.proposed }),
      });
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/policy/check',
    scope: 'world',
    // A rehearsal runs a command, and its output shows files of the working folder.
    needs: (body) => (policyCheckSchema.parse(body).rehearse === true ? ['sign'] : ['read']),
    tag,
    summary: 'Check what would happen to a call, and why',
    description:
      'Nobody is asked for approval. Nothing runs, unless `rehearse` is true: the call is then rehearsed in a draft, which is deleted, and rules about effects are judged on what it did. This needs the right to sign calls.',
    body: policyCheckSchema,
    answers: { 200: { description: 'The verdict', schema: policyVerdictSchema } },
    handle: async ({ context, params, body, c }) => ({
      status: 200,
      body: await checkPolicy(context.engine.runtime, params.world, body, { may: mayOf(c), by: c.var.signer }),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/policy/matches',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Find the calls that a rule or grant would cover',
    description:
      '`items`: calls in the last 500 messages of the chat, newest first. `waiting`: pending calls that would run immediately.',
    body: policyMatchSchema,
    answers: { 200: { description: 'Calls, at most 20', schema: matchedCallsSchema } },
    async handle({ context, params, body }) {
      const { runtime } = context.engine;
      const { chatId, rule } = body;
      const earlier =
        chatId === undefined || rule === undefined
          ? { calls: [], more: false }
          : await matchesInChat(runtime, params.world, chatId, rule);
      const waiting = await coveredCalls(runtime, params.world, body);
      return { status: 200, body: { items: earlier.calls, more: earlier.more, waiting } };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/policy/replay',
    scope: 'world',
    // It tries rules on sealed arguments, so its answers tell about them.
    needs: ['admin', 'sign'],
    tag,
    summary: 'Show what other rules would have decided for past calls',
    description:
      'Judges the calls in the audit log again, from what was sealed when they were judged. Nothing runs and nothing is rehearsed. It is recorded. Another decision could have changed what came after, and a replay does not know that. 409 while another replay runs. With `Accept: text/event-stream`, progress is streamed, and the result is the last event.',
    headers: { Accept: '`text/event-stream` to receive progress' },
    body: policyReplaySchema,
    answers: {
      200: [
        { description: 'The differences', schema: replayedSchema },
        { description: 'Events `progress`, then `result`', schema: replayProgressSchema, type: 'text/event-stream' },
      ],
    },
    handle: async ({ context, params, body, c }) =>
      await withProgress(c, context.engine.runtime, async (signal, tell) =>
        replayPolicy(context.engine.runtime, params.world, body, { by: c.var.signer, signal, tell }),
      ),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/policy/suggestions',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Suggest allow rules, with their proof',
    description:
      'Rules that would have saved questions in the last 30 days, made only from calls that a person approved one by one. None would have allowed a call that was denied. Nothing is added.',
    answers: { 200: { description: 'Rules, the most useful first', schema: suggestionsSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await suggestRules(context.engine.runtime, params.world),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/policy/uses',
    scope: 'world',
    needs: 'read',
    tag,
    summary: 'Show who added each rule, and how often it decided',
    description: 'From the whole audit log of the world.',
    answers: { 200: { description: 'The rules of the world, in their order', schema: ruleUsesSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await ruleUses(context.engine.runtime, params.world),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/tools',
    scope: 'world',
    needs: 'read',
    tag: 'tools',
    summary: 'List the tools of a world, by name',
    query: listQuerySchema,
    answers: { 200: { description: 'Tools', schema: listOf(listedToolSchema) } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: pageOf(await showTools(context.engine.runtime, params.world), ({ name }) => name, query),
    }),
  }),
];
