import {
  healthSchema,
  newSessionSchema,
  pairingSchema,
  problemSchema,
  sessionSchema,
  startLinkSchema,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { route } from '../app/route.js';
import { PROBLEM_TYPE, toProblem } from '../app/to-problem.js';
import { checkReadiness } from '../metrics/check-readiness.js';
import { linkOrigin } from './support.js';

const tag = 'server';

export const serverRoutes = [
  route({
    method: 'get',
    path: '/health',
    scope: 'world',
    needs: 'no-credential',
    tag,
    summary: 'Check readiness and get the version',
    description:
      'The server is ready if its database can be read and written and, with several processes, if the others consider it alive. It writes at most every five seconds.',
    answers: {
      200: { description: 'Ready', schema: healthSchema },
      503: {
        description: 'Running, but not ready for traffic',
        schema: problemSchema,
        type: PROBLEM_TYPE,
      },
    },
    async handle({ context }) {
      const unready = await checkReadiness(context.engine);
      if (unready === undefined) return { status: 200, body: { status: 'ok', version: context.version } };
      // Don't throw: health checks every few seconds would flood the log.
      const { problem } = toProblem(new HttpProblem(503, unready));
      return { status: 503, body: problem, headers: { 'Content-Type': PROBLEM_TYPE } };
    },
  }),
  route({
    method: 'post',
    path: '/session',
    scope: 'web-app',
    needs: 'no-credential',
    tag,
    summary: 'Sign a browser in',
    description:
      'Send one of: the `ticket` of a start link, an `invitation`, what a `passkey` signed, the answer of an `oidc` provider, or a `token`, which is then not stored in the browser. Sets a cookie. Send the session value from the response as the header X-Countersign-Session.',
    body: newSessionSchema,
    answers: {
      200: { description: 'The session value for the header', schema: sessionSchema },
      202: { description: 'The device that made the link must confirm the code first', schema: pairingSchema },
    },
    async handle({ body, c, context }) {
      const opened = await context.auth.signIn(body, c);
      if ('code' in opened) return { status: 202, body: opened };
      const { session, setCookie } = opened;
      return { status: 200, body: { session }, headers: { 'Set-Cookie': setCookie } };
    },
  }),
  route({
    method: 'post',
    path: '/tickets',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'Create a start link',
    description:
      'The link signs in one browser as you and expires after one minute. Requires a bearer token; a browser session gets 403.',
    answers: {
      201: { description: 'The link', schema: startLinkSchema },
      403: { description: 'The request came from a browser session', schema: problemSchema, type: PROBLEM_TYPE },
    },
    async handle({ c, context }) {
      const { ticket, expiresAt } = await context.auth.newTicketFor(c);
      const open = `${linkOrigin(c, context)}/#ticket=${ticket}`;
      return { status: 201, body: { ticket, open, expiresAt: new Date(expiresAt).toISOString() } };
    },
  }),
];
