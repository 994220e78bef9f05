import {
  deviceConfirmationSchema,
  deviceLinkSchema,
  deviceLinkStateSchema,
  listOf,
  meSchema,
  newDeviceLinkSchema,
  openSessionSchema,
  type Me,
} from '@countersign/protocol';
import { route } from '../../app/route.js';
import { actionsOf } from '../../people/access.js';
import { byOf, type By } from '../../people/by.js';
import { linkDevice } from '../../people/link-device.js';
import { confirmDevice, endLink, readLink } from '../../people/pair-device.js';
import { passkeysToConfirm } from '../../people/manage-people.js';
import { endSessions, listSessions } from '../../people/manage-sessions.js';
import { changing } from './people.js';
import { linkOrigin, pageOrigin } from '../support.js';

const tag = 'people';

export const meRoutes = [
  route({
    method: 'get',
    path: '/me',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'Get your account and permissions',
    description: '`kind` is `token` for a shared token that belongs to nobody in particular.',
    answers: { 200: { description: 'You', schema: meSchema } },
    async handle({ context: { mounted, engine }, c }) {
      const { length } = await engine.runtime.store.read((reader) => passkeysToConfirm(reader, c.var.access));
      const toConfirm = length === 0 ? {} : { passkeysToConfirm: length };
      return { status: 200, body: { ...toMe(byOf(c)), ...toConfirm, ...(mounted === undefined ? {} : { mounted }) } };
    },
  }),
  route({
    method: 'get',
    path: '/me/sessions',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'List your browser sessions',
    answers: { 200: { description: 'Sessions', schema: listOf(openSessionSchema) } },
    handle: async ({ context, c }) => ({
      status: 200,
      body: { items: await listSessions(context.engine.runtime.store, byOf(c)) },
    }),
  }),
  route({
    method: 'post',
    path: '/me/devices/link',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'Create a link that opens another device',
    description:
      'The link lets one browser ask to sign in as you, once, within a minute, with the rights of this session or the `scopes` at most. It is signed in when this session has confirmed the code that it shows. It needs a browser session, and a sign-in of the last five minutes or a `confirmation` of this request by a trusted passkey (409 otherwise).',
    body: newDeviceLinkSchema,
    bodyOptional: true,
    answers: { 201: { description: 'The link', schema: deviceLinkSchema } },
    async handle({ context, body, c }) {
      const asked = { ...body, origin: pageOrigin(c, context) };
      const { ticket, expiresAt, ...rest } = await linkDevice(context.engine.runtime.store, byOf(c), asked);
      const open = `${linkOrigin(c, context)}/#ticket=${ticket}`;
      return { status: 201, body: { open, expiresAt: new Date(expiresAt).toISOString(), ...rest } };
    },
  }),
  route({
    method: 'get',
    path: '/me/devices/link/{link}',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'See which device has opened a link',
    description: 'For the session that created the link. 404 when it has ended: after its device was signed in, too.',
    answers: { 200: { description: 'The device, and the code that it shows', schema: deviceLinkStateSchema } },
    handle: async ({ context, params, c }) => ({
      status: 200,
      body: await readLink(context.engine.runtime.store, byOf(c), params.link),
    }),
  }),
  route({
    method: 'post',
    path: '/me/devices/link/{link}/confirm',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'Let the device in that has opened a link',
    description: 'Send the code that the device shows. 409 if no device waits with it.',
    body: deviceConfirmationSchema,
    answers: { 204: { description: 'The device can sign in' } },
    async handle({ context, params, body, c }) {
      await confirmDevice(context.engine.runtime.store, byOf(c), params.link, body.code);
      return { status: 204 };
    },
  }),
  route({
    method: 'delete',
    path: '/me/devices/link/{link}',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'End a link to another device',
    description: 'The device that has opened it is refused.',
    answers: { 204: { description: 'Link ended' } },
    async handle({ context, params, c }) {
      await endLink(context.engine.runtime.store, byOf(c), params.link);
      return { status: 204 };
    },
  }),
  route({
    method: 'delete',
    path: '/me/sessions',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'End all your browser sessions except this one',
    answers: { 204: { description: 'Sessions ended' } },
    async handle({ context, c }) {
      await changing(context, endSessions(context.engine.runtime.store, byOf(c)));
      return { status: 204 };
    },
  }),
  route({
    method: 'delete',
    path: '/me/sessions/{session}',
    scope: 'web-app',
    needs: 'account',
    tag,
    summary: 'End one of your browser sessions',
    description: 'To sign out, end the current one.',
    answers: { 204: { description: 'Session ended' } },
    async handle({ context, params, c }) {
      await changing(context, endSessions(context.engine.runtime.store, byOf(c), { session: params.session }));
      return { status: 204 };
    },
  }),
];

function toMe({ access, signer }: By): Me {
  const { person } = access;
  const { id, name, kind } = signer.who;
  return {
    kind: kind === 'person' ? 'person' : 'token',
    id,
    name,
    via: signer.via,
    ...(person?.email === null || person?.email === undefined ? {} : { email: person.email }),
    role: person === undefined ? 'owner' : person.role,
    worldRoles: person?.worldRoles ?? {},
    actions: [...actionsOf(access)],
    ...(access.scopes === undefined ? {} : { scopes: [...access.scopes], limitedBy: access.limitedBy ?? 'token' }),
  };
}
