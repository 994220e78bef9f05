import {
  invitationSchema,
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
      'The link signs in one browser as you, once, within a minute, with the rights of this session at most. It needs a browser session, and a sign-in of the last five minutes or a `confirmation` of this request by a trusted passkey (409 otherwise).',
    body: newDeviceLinkSchema,
    bodyOptional: true,
    answers: { 201: { description: 'The link', schema: invitationSchema } },
    async handle({ context, body, c }) {
      const asked = { ...body, origin: pageOrigin(c, context) };
      const { ticket, expiresAt, ...rest } = await linkDevice(context.engine.runtime.store, byOf(c), asked);
      const open = `${linkOrigin(c, context)}/#ticket=${ticket}`;
      return { status: 201, body: { open, expiresAt: new Date(expiresAt).toISOString(), ...rest } };
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
    ...(access.scopes === undefined
      ? {}
      : { scopes: [...access.scopes], limitedBy: access.invited === true ? 'invitation' : 'token' }),
  };
}
