import {
  listOf,
  listQuerySchema,
  newWebhookSchema,
  savedWebhookSchema,
  webhookChangeSchema,
  webhookDeliveriesQuerySchema,
  webhookDeliverySchema,
  webhookReplayedSchema,
  webhookReplaySchema,
  webhookSchema,
} from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { route } from '../app/route.js';
import { byOf } from '../people/by.js';
import {
  addWebhook,
  changeWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replay,
} from '../webhooks/manage-webhooks.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import { pageOf, refuseClients } from './support.js';

const tag = 'webhooks';
const scope = 'own-server';
const needs = 'admin';

export const webhookRoutes = [
  route({
    method: 'get',
    path: '/webhooks',
    scope,
    needs,
    tag,
    summary: 'List webhooks',
    description: 'Without their URLs and secrets.',
    query: listQuerySchema,
    answers: { 200: { description: 'Webhooks', schema: listOf(webhookSchema) } },
    handle: async ({ context, query }) => ({
      status: 200,
      body: pageOf(await listWebhooks(webhooksOf(context).tools), ({ id }) => id, query),
    }),
  }),
  route({
    method: 'post',
    path: '/webhooks',
    scope,
    // Its messages tell about all worlds.
    needs: ['admin', 'read'],
    tag,
    summary: 'Add a webhook',
    description:
      'From now on, the URL gets a signed POST (Standard Webhooks) for each of these events. The secret is returned only in this answer. 422 if the URL is not HTTPS, or its host has a private address.',
    body: newWebhookSchema,
    answers: { 201: { description: 'The webhook, with its secret', schema: savedWebhookSchema } },
    async handle({ context, body, c }) {
      refuseClients(c);
      return { status: 201, body: await addWebhook(webhooksOf(context).tools, byOf(c), body) };
    },
  }),
  route({
    method: 'patch',
    path: '/webhooks/{id}',
    scope,
    needs: (body) => (webhookChangeSchema.parse(body).url === undefined ? ['admin'] : ['admin', 'read']),
    tag,
    summary: 'Update a webhook, pause it, or rotate its secret',
    description: 'Omitted fields stay unchanged. With `rotateSecret`, the answer has the new secret.',
    body: webhookChangeSchema,
    answers: { 200: { description: 'The updated webhook', schema: savedWebhookSchema } },
    async handle({ context, params: { id }, body: change, c }) {
      refuseClients(c);
      const webhooks = webhooksOf(context);
      const changed = await changeWebhook(webhooks.tools, byOf(c), { id, change });
      webhooks.send(id);
      return { status: 200, body: changed };
    },
  }),
  route({
    method: 'delete',
    path: '/webhooks/{id}',
    scope,
    needs,
    tag,
    summary: 'Remove a webhook and its deliveries',
    answers: { 204: { description: 'Webhook removed' } },
    async handle({ context, params, c }) {
      refuseClients(c);
      await removeWebhook(webhooksOf(context).tools, byOf(c), params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/webhooks/{id}/deliveries',
    scope,
    needs,
    tag,
    summary: 'List what a webhook was sent, and what waits or failed',
    description: 'The newest 1,000, newest first. They are kept for a week after they have ended.',
    query: webhookDeliveriesQuerySchema,
    answers: { 200: { description: 'Deliveries', schema: listOf(webhookDeliverySchema) } },
    handle: async ({ context, params, query: { state, ...page } }) => ({
      status: 200,
      body: pageOf(await listDeliveries(webhooksOf(context).tools, params.id, state), ({ id }) => id, page),
    }),
  }),
  route({
    method: 'post',
    path: '/webhooks/{id}/replay',
    scope,
    needs,
    tag,
    summary: 'Send deliveries again',
    description: 'One that has ended, or all dead ones, with the same ids. What they say is read again.',
    body: webhookReplaySchema,
    bodyOptional: true,
    answers: { 200: { description: 'How many are sent again', schema: webhookReplayedSchema } },
    async handle({ context, params, body, c }) {
      refuseClients(c);
      return { status: 200, body: { replayed: await replay(webhooksOf(context), byOf(c), params.id, body.delivery) } };
    },
  }),
];

function webhooksOf({ webhooks }: AppContext): Webhooks {
  if (webhooks === undefined) throw new HttpProblem(404, problemTexts.noWebhooks);
  return webhooks;
}
