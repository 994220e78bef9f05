import {
  newDenialSchema,
  newPushSchema,
  pushChangeSchema,
  pushListSchema,
  pushSubscriptionSchema,
} from '@countersign/protocol';
import type { AppContext, AppRequest } from '../../app/context.js';
import { HttpProblem } from '../../app/http-problem.js';
import { problemTexts } from '../../app/problem-texts.js';
import { route } from '../../app/route.js';
import { deviceOf } from '../../auth/device-of.js';
import { byOf } from '../../people/by.js';
import { refusal } from '../../app/limit-window.js';
import { denyFromNotice } from '../../push/deny-from-notice.js';
import type { Push } from '../../push/push.js';
import { pushKeys } from '../../push/push-keys.js';
import { pushTexts } from '../../push/push-texts.js';
import {
  addDevice,
  listDevices,
  noDevice,
  readSubscriptions,
  removeDevice,
  setQuietHours,
} from '../../push/subscriptions.js';

const tag = 'people';
const scope = 'own-server';

export const pushRoutes = [
  route({
    method: 'get',
    path: '/me/push',
    scope,
    needs: 'read',
    tag,
    summary: 'List the devices that get your notifications',
    answers: { 200: { description: 'Devices, and the key to subscribe with', schema: pushListSchema } },
    async handle({ context, c }) {
      const { tools } = pushOf(context);
      const items = await listDevices(tools.runtime.store, byOf(c));
      return { status: 200, body: { items, publicKey: pushKeys(tools.box).publicKey } };
    },
  }),
  route({
    method: 'post',
    path: '/me/push',
    scope,
    needs: 'read',
    tag,
    summary: 'Send notifications to this device',
    description:
      'The body is the `PushSubscription` of a browser. The device is told about calls that you may sign, with the rights of this session or token, and until it ends. 422 if the endpoint is not at a known push service.',
    body: newPushSchema,
    answers: { 201: { description: 'The device', schema: pushSubscriptionSchema } },
    async handle({ context, body, c }) {
      const { tools } = pushOf(context);
      return { status: 201, body: await addDevice(tools, byOf(c), body, deviceOf(c.req.header('user-agent'))) };
    },
  }),
  route({
    method: 'patch',
    path: '/me/push/{id}',
    scope,
    needs: 'read',
    tag,
    summary: 'Set the quiet hours of a device of yours',
    description:
      'Calls that arrive in these hours are announced when the hours end, in one notification for each world.',
    body: pushChangeSchema,
    answers: { 200: { description: 'The device', schema: pushSubscriptionSchema } },
    async handle({ context, params, body, c }) {
      const { changes, tools } = pushOf(context);
      const { runtime } = tools;
      const seconds = changes.add([c.var.access.person?.id ?? ''], 1);
      if (seconds !== undefined) throw refusal(problemTexts.tooManyChanges(seconds), seconds);
      const device = await setQuietHours(runtime.store, byOf(c), params.id, body.quietHours);
      runtime.background.onWaiting();
      return { status: 200, body: device };
    },
  }),
  route({
    method: 'delete',
    path: '/me/push/{id}',
    scope,
    needs: 'read',
    tag,
    summary: 'Stop sending notifications to a device of yours',
    answers: { 204: { description: 'Device removed' } },
    async handle({ context, params, c }) {
      await removeDevice(pushOf(context).tools.runtime.store, byOf(c), params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/me/push/{id}/test',
    scope,
    needs: 'read',
    tag,
    summary: 'Send a test notification to a device of yours',
    description:
      '409 if the device has unsubscribed; it is then removed. 503 if its push service could not be reached, or refused.',
    answers: { 204: { description: 'Sent to the push service' } },
    async handle({ context, params, c }) {
      await testDevice(pushOf(context), c, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/denials',
    scope,
    needs: 'no-credential',
    tag: 'approvals',
    summary: 'Deny the call of a notification',
    description:
      'The code in a notification can deny the call that it is about, once, while the call is unchanged and its person may sign. It can do nothing else. 404 if the code is wrong, 403 if it has ended, 409 if the call was decided or has changed.',
    body: newDenialSchema,
    answers: { 204: { description: 'Call denied' } },
    async handle({ context, body }) {
      await denyFromNotice(pushOf(context).tools, body.code);
      return { status: 204 };
    },
  }),
];

function pushOf({ push }: AppContext): Push {
  if (push === undefined) throw new HttpProblem(404, problemTexts.noPush);
  return push;
}

async function testDevice(push: Push, c: AppRequest, id: string): Promise<void> {
  const { runtime, lifetimes } = push.tools;
  const { working } = await runtime.store.read((reader) => readSubscriptions(reader, lifetimes));
  const subscription = working.find((each) => each.id === id && each.person.id === c.var.access.person?.id);
  if (subscription === undefined) throw noDevice(id);
  const notice = { tag: 'test', path: '/account', title: pushTexts.test, body: pushTexts.testLead };
  const sent = await push.test(subscription, notice);
  if (sent.kind === 'sent') return;
  if (sent.kind !== 'gone') throw new HttpProblem(503, problemTexts.pushFailed(subscription.push.service, sent.why));
  await runtime.store.transact('', (tx) => tx.endCredential(id));
  throw new HttpProblem(409, problemTexts.pushGone);
}
