import {
  healthSchema,
  listOf,
  listQuerySchema,
  newSessionSchema,
  problemSchema,
  providerStatusSchema,
  sessionSchema,
  startLinkSchema,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { PROBLEM_TYPE, toProblem } from '../app/to-problem.js';
import { checkReadiness } from '../metrics/check-readiness.js';
import { pageOf } from './support.js';

const tag = 'server';

export const serverRoutes = [
  route({
    method: 'get',
    path: '/health',
    tag,
    summary: 'Is it there and ready, and which version',
    description: 'Ready: its store answers and, among several processes, the others know that it lives.',
    open: true,
    answers: {
      200: { description: 'It is', schema: healthSchema },
      503: {
        description: 'It is there, and should not be sent anybody now',
        schema: problemSchema,
        type: PROBLEM_TYPE,
      },
    },
    async handle({ context }) {
      const unready = await checkReadiness(context.engine);
      if (unready === undefined) return { status: 200, body: { status: 'ok', version: context.version } };
      // Not thrown: whoever asks every few seconds would fill the log with it.
      const { problem } = toProblem(new HttpProblem(503, unready));
      return { status: 503, body: problem, headers: { 'Content-Type': PROBLEM_TYPE } };
    },
  }),
  route({
    method: 'post',
    path: '/session',
    tag,
    summary: 'Trade the ticket of a start link for a session',
    description: 'Sets a cookie; the other half comes in the answer and goes into the header X-Countersign-Session.',
    open: true,
    body: newSessionSchema,
    answers: { 200: { description: 'The half that the page keeps', schema: sessionSchema } },
    async handle({ body, c, context }) {
      const redeemed = await context.auth.redeem(body.ticket, c);
      if (redeemed === undefined) {
        throw new HttpProblem(401, 'This ticket was used, or is older than a minute. Open a new start link.');
      }
      return { status: 200, body: { session: redeemed.session }, headers: { 'Set-Cookie': redeemed.setCookie } };
    },
  }),
  route({
    method: 'post',
    path: '/tickets',
    tag,
    summary: 'Make a start link',
    description: 'The link signs one browser in, within a minute. Needs the bearer token: a browser session gets 403.',
    answers: {
      201: { description: 'The link', schema: startLinkSchema },
      403: { description: 'The request came from a browser session', schema: problemSchema, type: PROBLEM_TYPE },
    },
    async handle({ c, context }) {
      const { ticket, expiresAt } = await context.auth.newTicketFor(c);
      const open = `${new URL(c.req.url).origin}/#ticket=${ticket}`;
      return { status: 201, body: { ticket, open, expiresAt: new Date(expiresAt).toISOString() } };
    },
  }),
  route({
    method: 'get',
    path: '/providers',
    tag,
    summary: 'Which providers of models can be used',
    query: listQuerySchema,
    answers: { 200: { description: 'Providers; keys are never shown', schema: listOf(providerStatusSchema) } },
    handle: async ({ context, query }) => ({
      status: 200,
      body: pageOf(await context.providers(), ({ name }) => name, query),
    }),
  }),
];
