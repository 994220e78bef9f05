import {
  listOf,
  newPasskeySchema,
  passkeyChangeSchema,
  passkeyOptionsSchema,
  removalSchema,
  passkeySchema,
  passkeySignInSchema,
} from '@countersign/protocol';
import { route } from '../../app/route.js';
import { deviceOf } from '../../auth/device-of.js';
import { listPasskeys, removePasskey, trustPasskey } from '../../passkeys/manage-passkeys.js';
import { passkeySite } from '../../passkeys/passkey-site.js';
import { CHALLENGE_MS } from '../../passkeys/random-challenge.js';
import { offerRegistration, registerPasskey } from '../../passkeys/register-passkey.js';
import { byOf } from '../../people/by.js';
import { changingSigners } from './people.js';

const tag = 'people';
const scope = 'web-app';
const PATH = '/people/{person}/passkeys/{passkey}';

export const passkeyRoutes = [
  route({
    method: 'post',
    path: '/session/challenge',
    scope,
    needs: 'no-credential',
    tag: 'server',
    summary: 'Start signing in with a passkey',
    description:
      'Returns WebAuthn request options. Send what the passkey signs to `POST /session`, within five minutes. 409 at an address where passkeys of this server do not work.',
    answers: { 201: { description: 'WebAuthn request options', schema: passkeySignInSchema } },
    async handle({ c, context }) {
      const { rpId } = passkeySite(c, context);
      const challenge = await context.auth.newSignInChallenge(c);
      const options = { rpId, allowCredentials: [], userVerification: 'required', timeout: CHALLENGE_MS };
      return { status: 201, body: { challenge, ...options } };
    },
  }),
  route({
    method: 'post',
    path: '/me/passkeys/options',
    scope,
    needs: 'read',
    tag,
    summary: 'Start registering a passkey',
    description: 'Returns WebAuthn creation options. They work once, for five minutes.',
    answers: { 201: { description: 'WebAuthn creation options', schema: passkeyOptionsSchema } },
    async handle({ c, context }) {
      const site = passkeySite(c, context);
      return { status: 201, body: await offerRegistration(context.engine.runtime.store, byOf(c), site) };
    },
  }),
  route({
    method: 'post',
    path: '/me/passkeys',
    scope,
    needs: 'read',
    tag,
    summary: 'Register a passkey',
    description:
      'The first passkey of an owner or admin is trusted. Later ones can sign in, but sign calls only after someone confirms them with a trusted passkey.',
    body: newPasskeySchema,
    answers: { 201: { description: 'The passkey', schema: passkeySchema } },
    async handle({ c, context, body }) {
      const device = deviceOf(c.req.header('user-agent'));
      const asked = { given: body, device, site: passkeySite(c, context) };
      const registering = registerPasskey(context.engine.runtime.store, byOf(c), asked);
      return { status: 201, body: await changingSigners(context, registering) };
    },
  }),
  route({
    method: 'get',
    path: '/people/{person}/passkeys',
    scope,
    needs: 'account',
    tag,
    summary: "List a person's passkeys",
    description: 'For the person and for admins.',
    answers: { 200: { description: 'Passkeys', schema: listOf(passkeySchema) } },
    handle: async ({ context, params, c }) => ({
      status: 200,
      body: { items: await listPasskeys(context.engine.runtime.store, params.person, byOf(c)) },
    }),
  }),
  route({
    method: 'patch',
    path: PATH,
    scope,
    needs: 'read',
    tag,
    summary: 'Trust a passkey',
    description:
      "Needs a `confirmation` for `trust-passkey` by a trusted passkey of your own. Only an admin can trust other people's passkeys.",
    body: passkeyChangeSchema,
    answers: { 200: { description: 'The passkey', schema: passkeySchema } },
    async handle({ context, params, body, c }) {
      const { origin } = passkeySite(c, context);
      const asked = { personId: params.person, id: params.passkey, confirmation: body.confirmation, origin };
      const trusting = trustPasskey(context.engine.runtime.store, asked, byOf(c));
      return { status: 200, body: await changingSigners(context, trusting) };
    },
  }),
  route({
    method: 'delete',
    path: PATH,
    scope,
    needs: 'read',
    tag,
    summary: 'Remove a passkey',
    description:
      'A trusted passkey needs a `confirmation` for `remove-passkey` by a trusted passkey of your own. 409 for the last trusted passkey of the server.',
    body: removalSchema,
    bodyOptional: true,
    answers: { 204: { description: 'Passkey removed' } },
    async handle({ context, params, body, c }) {
      const origin = c.req.header('origin') ?? '';
      const asked = { personId: params.person, id: params.passkey, confirmation: body.confirmation, origin };
      await changingSigners(context, removePasskey(context.engine.runtime.store, asked, byOf(c)));
      return { status: 204 };
    },
  }),
];
