import {
  healthSchema,
  listOf,
  listQuerySchema,
  newSessionSchema,
  providerStatusSchema,
  sessionSchema,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { pageOf } from './support.js';

const tag = 'server';

export const serverRoutes = [
  route({
    method: 'get',
    path: '/health',
    tag,
    summary: 'Is it there, and which version',
    open: true,
    answers: { 200: { description: 'It is', schema: healthSchema } },
    handle: async ({ context }) => ({ status: 200, body: { status: 'ok', version: context.version } }),
  }),
  route({
    method: 'post',
    path: '/session',
    tag,
    summary: 'Trade the ticket of a start URL for a session',
    description: 'Sets a cookie; the other half comes in the answer and goes into the header X-Countersign-Session.',
    open: true,
    body: newSessionSchema,
    answers: { 200: { description: 'The half that the page keeps', schema: sessionSchema } },
    async handle({ body, c, context }) {
      const redeemed = await context.auth.redeem(body.ticket, c);
      if (redeemed === undefined) {
        throw new HttpProblem(401, 'This ticket was used, or is older than a minute. Open a new start URL.');
      }
      return { status: 200, body: { session: redeemed.session }, headers: { 'Set-Cookie': redeemed.setCookie } };
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
