import { oidcStartSchema, signInWaysSchema } from '@countersign/protocol';
import { HttpProblem } from '../../app/http-problem.js';
import { problemTexts } from '../../app/problem-texts.js';
import { route } from '../../app/route.js';
import { pageOrigin, returnUrlAt } from '../support.js';

const tag = 'server';

export const signInRoutes = [
  route({
    method: 'get',
    path: '/sign-in',
    scope: 'web-app',
    needs: 'no-credential',
    tag,
    summary: 'Get the ways to sign in',
    description: 'Start links, invitations and tokens always work. `oidc` is set if an OIDC provider is configured.',
    answers: { 200: { description: 'Ways to sign in', schema: signInWaysSchema } },
    async handle({ context }) {
      const { oidc } = context.auth;
      return { status: 200, body: oidc === undefined ? {} : { oidc: { name: oidc.name } } };
    },
  }),
  route({
    method: 'post',
    path: '/sign-in/oidc',
    scope: 'web-app',
    needs: 'no-credential',
    tag,
    summary: 'Start a sign-in with the OIDC provider',
    description:
      "Open `url` within ten minutes. The provider sends the browser to `/oidc/callback`, which sends the parameters and the `attempt` to `POST /session`. 404 if no provider is configured, 503 if it can't be reached.",
    answers: { 200: { description: 'The URL to open', schema: oidcStartSchema } },
    async handle({ context, c }) {
      const { oidc } = context.auth;
      if (oidc === undefined) throw new HttpProblem(404, problemTexts.noOidc);
      const url = returnUrlAt(pageOrigin(c, context), '/oidc/callback', context);
      return { status: 200, body: await oidc.start(url) };
    },
  }),
];
