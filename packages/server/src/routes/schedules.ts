import { listOf, newScheduleSchema, scheduleChangeSchema, scheduleSchema } from '@countersign/protocol';
import type { AppContext, AppRequest } from '../app/context.js';
import { route } from '../app/route.js';
import {
  addSchedule,
  type Asking,
  listSchedules,
  removeSchedule,
  updateSchedule,
} from '../schedules/manage-schedules.js';
import { AS_CLIENT, signerOf } from './support.js';

const tag = 'chats';
const scope = 'own-server';

export const scheduleRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/schedules',
    scope,
    needs: 'read',
    tag,
    summary: 'List the schedules of a world',
    description: 'Messages that are sent later, oldest schedule first.',
    answers: { 200: { description: 'Schedules', schema: listOf(scheduleSchema) } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: { items: await listSchedules(context.engine.runtime, params.world) },
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/schedules',
    scope,
    needs: 'chat',
    tag,
    summary: 'Send a message later, once or repeatedly',
    description:
      'The message is sent in your name, while you may send messages to this chat. With a limited token or session, the schedule ends with it. After downtime, it is sent once, however many times have passed.',
    headers: AS_CLIENT,
    body: newScheduleSchema,
    answers: { 201: { description: 'The schedule', schema: scheduleSchema } },
    async handle({ context, params, body, c }) {
      const made = await addSchedule(context.engine.runtime, body, await askingIn(c, context, params.world));
      context.schedules?.look();
      return { status: 201, body: made };
    },
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}/schedules/{schedule}',
    scope,
    needs: 'chat',
    tag,
    summary: 'Change, pause or resume a schedule of yours',
    description: 'Admins can also pause those of others. 409 while its message is being sent.',
    headers: AS_CLIENT,
    body: scheduleChangeSchema,
    answers: { 200: { description: 'The schedule', schema: scheduleSchema } },
    async handle({ context, params, body, c }) {
      const asking = await askingIn(c, context, params.world);
      const changed = await updateSchedule(context.engine.runtime, params.schedule, body, asking);
      context.schedules?.look();
      return { status: 200, body: changed };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/schedules/{schedule}',
    scope,
    needs: 'chat',
    tag,
    summary: 'Delete a schedule',
    description: 'For its person and for admins. 409 while its message is being sent.',
    headers: AS_CLIENT,
    answers: { 204: { description: 'Schedule deleted' } },
    async handle({ context, params, c }) {
      await removeSchedule(context.engine.runtime, params.schedule, await askingIn(c, context, params.world));
      return { status: 204 };
    },
  }),
];

async function askingIn(c: AppRequest, context: AppContext, worldId: string): Promise<Asking> {
  return { worldId, access: c.var.access, signer: await signerOf(c, context, worldId) };
}
