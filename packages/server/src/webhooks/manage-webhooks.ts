import { randomBytes } from 'node:crypto';
import type { DeliveryRecord, StoreReader, StoreTransaction, WebhookRecord } from '@countersign/core/ports';
import {
  CountersignError,
  type NewWebhook,
  type SavedWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookDelivery,
  type WebhookFormat,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { addressesOf, hostAndPort, isNamed, type OutboundRoute } from '../outbound/named-hosts.js';
import type { By } from '../people/by.js';
import { changePeople } from '../people/change-people.js';
import { refuseNewCredential } from '../people/recent-sign-in.js';
import { urlProblem } from './render-message.js';
import { newSecret, openSecrets, rotate, sealSecrets } from './webhook-secrets.js';
import { OVERDUE_MINUTES, type Webhooks, type WebhookTools } from './webhooks.js';

const MOST = 20;
const MOST_DELIVERIES = 1000;

/** The secret is returned only here. */
export async function addWebhook(
  { runtime, box, route }: WebhookTools,
  by: By,
  given: NewWebhook,
): Promise<SavedWebhook> {
  const { url, ...asked } = given;
  await refuseStolen(runtime, by);
  const origin = await checkUrl(url, route);
  checkForm(url, asked.format);
  const id = randomBytes(8).toString('hex');
  const secret = newSecret();
  const sealed = sealSecrets(box, id, { url, keys: [{ secret }] });
  return await changePeople(runtime.store, by.signer, async (tx) => {
    await checkWorlds(tx, asked.worlds);
    if ((await tx.webhooks()).length >= MOST) throw new HttpProblem(409, problemTexts.tooManyWebhooks(MOST));
    const definition = { origin, ...asked, active: true };
    const personId = by.access.person?.id ?? null;
    const record: WebhookRecord = { id, personId, definition, sealed, rev: 1, createdAt: tx.now() };
    await tx.insertWebhook(record);
    return { value: { ...toWebhook(record), secret }, record: { decision: 'webhook added', why: describe(record) } };
  });
}

/** Another secret, if it is asked for, is returned only here. */
export async function changeWebhook(
  { runtime, box, route }: WebhookTools,
  by: By,
  { id, change }: { id: string; change: WebhookChange },
): Promise<SavedWebhook> {
  const { url, rotateSecret, worlds, ...asked } = change;
  if (url !== undefined) await refuseStolen(runtime, by);
  const origin = url === undefined ? undefined : await checkUrl(url, route);
  return await changePeople(runtime.store, by.signer, async (tx) => {
    const before = await webhookIn(tx, id);
    await checkWorlds(tx, worlds ?? undefined);
    const { worlds: earlier, ...rest } = before.definition;
    if (url !== undefined) checkForm(url, rest.format);
    const named = worlds === undefined ? earlier : (worlds ?? undefined);
    const definition = { ...rest, ...asked, ...(origin && { origin }), ...(named && { worlds: named }) };
    const secret = rotateSecret === true ? newSecret() : undefined;
    const sealed = url === undefined && secret === undefined ? before.sealed : resealed(before, tx.now(), secret);
    const after = { ...before, definition, sealed };
    if (!(await tx.updateWebhook(after))) throw new CountersignError('stale', problemTexts.changedWebhook);
    const done = [
      describe(after),
      ...(url === undefined ? [] : ['another URL']),
      ...(secret ? ['another secret'] : []),
    ];
    const record = { decision: 'webhook changed', why: done.join(', ') } as const;
    return { value: { ...toWebhook(after), ...(secret && { secret }) }, record };
  });

  function resealed(webhook: WebhookRecord, now: number, secret: string | undefined): string {
    // With another secrets key, only a new URL and a new secret together make it work again.
    const { url: current, keys } = openSecrets(box, webhook) ?? { url: undefined, keys: [] };
    const next = url ?? current;
    if (next === undefined || (keys.length === 0 && secret === undefined))
      throw new HttpProblem(409, problemTexts.lostWebhook);
    return sealSecrets(box, webhook.id, { url: next, keys: secret === undefined ? keys : rotate(keys, secret, now) });
  }
}

export async function removeWebhook({ runtime }: WebhookTools, by: By, id: string): Promise<void> {
  await changePeople(runtime.store, by.signer, async (tx) => {
    const webhook = await webhookIn(tx, id);
    await tx.deleteWebhook(id);
    return { value: undefined, record: { decision: 'webhook removed', why: describe(webhook) } };
  });
}

export async function listWebhooks({ runtime }: WebhookTools): Promise<Webhook[]> {
  return (await runtime.store.read((reader) => reader.webhooks())).map(toWebhook);
}

export async function listDeliveries(
  { runtime }: WebhookTools,
  id: string,
  state: WebhookDelivery['state'] | undefined,
): Promise<WebhookDelivery[]> {
  const which = state === undefined ? {} : { state };
  const found = await runtime.store.read(async (reader) => {
    await webhookIn(reader, id);
    return await reader.deliveries(id, { limit: MOST_DELIVERIES, ...which });
  });
  return found.map(toDelivery);
}

/** Sends a delivery that has ended again, or all dead ones, with the same ids. */
export async function replay(webhooks: Webhooks, by: By, id: string, delivery: string | undefined): Promise<number> {
  const count = await changePeople(webhooks.tools.runtime.store, by.signer, async (tx) => {
    const webhook = await webhookIn(tx, id);
    const value = await tx.replayDeliveries(id, delivery === undefined ? {} : { id: delivery });
    if (value === 0 && delivery !== undefined)
      throw new CountersignError('not-found', problemTexts.unknownDelivery(delivery));
    const why = `${describe(webhook)}: ${delivery ?? `${value} dead`}`;
    return value === 0 ? { value } : { value, record: { decision: 'webhook sent again', why } };
  });
  webhooks.send(id);
  return count;
}

/** A webhook outlives the session that names its URL. */
async function refuseStolen({ store }: WebhookTools['runtime'], by: By): Promise<void> {
  await store.read((reader) => refuseNewCredential(reader, by, { doing: 'say where messages are sent' }));
}

async function webhookIn(reader: Pick<StoreReader, 'webhooks'>, id: string): Promise<WebhookRecord> {
  const found = (await reader.webhooks()).find((each) => each.id === id);
  if (found === undefined) throw new CountersignError('not-found', problemTexts.unknownWebhook(id));
  return found;
}

async function checkWorlds(tx: StoreTransaction, worlds: readonly string[] = []): Promise<void> {
  for (const id of worlds) if ((await tx.world(id)) === undefined) throw invalid('worlds', `there is no world "${id}"`);
}

/** The origin of a URL that may be told. It is checked again before each message, because a name can get other addresses. */
async function checkUrl(given: string, route: OutboundRoute): Promise<string> {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const host = url === undefined ? 'HOST:PORT' : hostAndPort(url);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isNamed(url, route.named));
  if (url === undefined || !isAllowed || url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalid('url', problemTexts.badWebhookUrl(host));

  try {
    await addressesOf(url, route);
  } catch (error) {
    throw invalid('url', problemTexts.unreachableWebhook(host, error instanceof Error ? error.message : String(error)));
  }
  return url.origin;
}

function checkForm(url: string, format: WebhookFormat = 'standard'): void {
  const problem = urlProblem(new URL(url), format);
  if (problem !== undefined) throw invalid('url', problem);
}

function invalid(field: string, detail: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${detail}`, { field });
}

/** Without its path, which may be a secret. */
function describe({ id, definition: { origin, events, worlds, active } }: WebhookRecord): string {
  const where = worlds === undefined ? '' : ` in ${worlds.join(', ')}`;
  return `${id}: ${events.join(', ')}${where} to ${origin}${active ? '' : ', paused'}`;
}

function toWebhook({ id, personId, definition, createdAt }: WebhookRecord): Webhook {
  const { events, worlds, format = 'standard', overdueMinutes = OVERDUE_MINUTES, ...rest } = definition;
  return {
    id,
    ...rest,
    format,
    events: [...events],
    ...(worlds && { worlds: [...worlds] }),
    ...(events.includes('approval.overdue') ? { overdueMinutes } : {}),
    ...(personId === null ? {} : { owner: personId }),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function toDelivery(record: DeliveryRecord): WebhookDelivery {
  const { id, type, worldId, subject, state, attempts, problem, createdAt, nextAt, endedAt } = record;
  return {
    ...{ id, event: type, world: worldId, subject, state, attempts },
    ...(problem === null ? {} : { problem }),
    createdAt: new Date(createdAt).toISOString(),
    ...(state === 'pending' ? { nextAt: new Date(nextAt).toISOString() } : {}),
    ...(endedAt === null ? {} : { endedAt: new Date(endedAt).toISOString() }),
  };
}
