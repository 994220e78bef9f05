import { createHash } from 'node:crypto';
import { isSignedOut, type Runtime } from '@countersign/core';
import type { DeliveryRecord, SecretBox, StoreReader, StoredEvent, WebhookRecord } from '@countersign/core/ports';
import { createKeyedWork } from '../outbound/keyed-work.js';
import type { OutboundRoute } from '../outbound/named-hosts.js';
import { post, reasonOf } from '../outbound/post.js';
import { actionsOf } from '../people/access.js';
import { composeMessage } from './compose-message.js';
import { happenedIn, readEvent } from './read-event.js';
import { renderMessage } from './render-message.js';
import { openSecrets, signedHeaders } from './webhook-secrets.js';
import { webhookTexts as texts } from './webhook-texts.js';

export interface WebhookTools {
  readonly runtime: Runtime;
  readonly box: SecretBox;
  readonly route: OutboundRoute;
  /** The origin of links. */
  readonly publicUrl: () => string;
  readonly log: { error(message: string, fields?: Record<string, unknown>): void };
}

/** Tells URLs what happens (HOOK). */
export interface Webhooks {
  readonly tools: WebhookTools;
  /** Sends what earlier processes didn't. Then follows the event log. */
  start(): void;
  /** Sends what is due for a webhook. */
  send(webhookId: string): void;
  /** Gives up what is being sent: its lease ends, and the next process sends it. */
  close(): void;
}

const EVENTS = 200;
/** How many messages for one webhook are sent at a time. */
const AT_A_TIME = 5;
/** Longer than an attempt can take, with resolving the name. */
const LEASE_MS = 60_000;
/** After the first failure. Each further one waits four times as long. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 6 * 60 * 60 * 1000;
/** The last attempt comes about 20 hours after the first. */
const MOST_ATTEMPTS = 10;
/** How often processes that share a store look for what one that died didn't send. */
const LOOK_MS = 15_000;
/** How long to wait if the store can't be used. */
const STORE_MS = 5_000;
export const OVERDUE_MINUTES = 30;

/**
 * The event log is the outbox: an event is stored in the step that causes it. Deliveries are inserted from it after a cursor for each world that is moved in
 * the same transaction, so that an event gets its deliveries once, whichever process comes first or dies.
 */
export function createWebhooks(tools: WebhookTools): Webhooks {
  const { runtime, box, route, log } = tools;
  const { store, clock } = runtime;
  const failed = (error: unknown): void => log.error('Webhooks could not be told', { error: String(error) });
  const worlds = createKeyedWork(collect, { clock, failed });
  const sending = createKeyedWork(sendDue, { clock, failed });
  const { signal } = sending;
  let unwatch = (): unknown => undefined;

  async function lookEverywhere(): Promise<void> {
    const found = await store.read(async (reader) => {
      const webhooks = await reader.webhooks();
      if (webhooks.length === 0) return { webhooks, behind: [] };
      const behind: string[] = [];
      for (const { id } of await reader.worlds())
        if ((await reader.webhookCursor(id)) < (await reader.lastEventId(id))) behind.push(id);
      return { webhooks, behind };
    });
    for (const id of found.behind) worlds.soon(id);
    for (const { id } of found.webhooks) sending.soon(id);
  }

  /** Inserts deliveries for the events of a world that no process has looked at yet. */
  async function collect(worldId: string): Promise<void> {
    try {
      if ((await store.read((reader) => reader.webhooks())).length === 0) return;
      for (let more = true; more && !signal.aborted;) {
        const { value } = await store.transact('', async (tx) => {
          const from = await tx.webhookCursor(worldId);
          const events = await tx.events(worldId, { after: from, limit: EVENTS });
          const upto = events.at(-1)?.id;
          if (upto === undefined) return { more: false, told: [] };
          // Another process did some of these, but not the newest.
          if (!(await tx.moveWebhookCursor(worldId, { from, upto }))) return { more: true, told: [] };
          const told: string[] = [];
          for (const webhook of await workingIn(tx, worldId)) {
            for (const event of events)
              for (const each of await deliveriesOf(tx, webhook, event)) await tx.insertDelivery(each);
            told.push(webhook.id);
          }
          return { more: events.length === EVENTS, told };
        });
        for (const id of value.told) sending.soon(id);
        more = value.more;
      }
    } catch (error) {
      worlds.later(worldId, STORE_MS);
      throw error;
    }
  }

  async function sendDue(webhookId: string): Promise<void> {
    try {
      for (let more = true; more && !signal.aborted;) {
        const asked = clock.now();
        const { pending, webhook, now } = await store.read(async (reader) => ({
          pending: await reader.pendingDeliveries(webhookId, { limit: AT_A_TIME + 1 }),
          webhook: (await reader.webhooks()).find(({ id }) => id === webhookId),
          now: reader.now(),
        }));
        if (webhook?.definition.active !== true) return;
        const due = pending.filter(({ nextAt }) => nextAt <= now).slice(0, AT_A_TIME);
        const next = pending[due.length];
        await Promise.all(due.map((delivery) => send(webhook, delivery)));
        // The time has passed since, and the clock of the store may differ from ours.
        const wait = next === undefined ? 0 : next.nextAt - now - (clock.now() - asked);
        more = due.length > 0 || (next !== undefined && wait <= 0);
        if (!more && next !== undefined) sending.later(webhookId, wait);
      }
    } catch (error) {
      sending.later(webhookId, STORE_MS);
      throw error;
    }
  }

  /** One attempt, unless another process is making it. */
  async function send(webhook: WebhookRecord, delivery: DeliveryRecord): Promise<void> {
    const { id, attempts } = delivery;
    const { value: now } = await store.transact('', async (tx) =>
      (await tx.claimDelivery({ id, attempts }, tx.now() + LEASE_MS)) ? tx.now() : undefined,
    );
    if (now === undefined) return;
    const attempt = { id, attempts: attempts + 1 };
    const outcome = await attemptTo(webhook, delivery, now);
    // The next process sends it, once the lease has ended.
    if (signal.aborted) return;
    await store.transact('', async (tx) => {
      const ended = { ...attempt, nextAt: tx.now(), endedAt: tx.now() };
      if (outcome.kind !== 'failed')
        return await tx.finishDelivery({
          ...ended,
          state: outcome.kind,
          problem: outcome.kind === 'sent' ? null : outcome.why,
        });
      const { why: problem } = outcome;
      if (attempt.attempts >= MOST_ATTEMPTS) return await tx.finishDelivery({ ...ended, state: 'dead', problem });
      const wait = Math.min(RETRY_MS * 4 ** attempts, LONGEST_RETRY_MS);
      await tx.finishDelivery({ ...attempt, state: 'pending', nextAt: tx.now() + wait, problem, endedAt: null });
    });
  }

  type Outcome = { kind: 'sent' } | { kind: 'failed' | 'dropped'; why: string };

  async function attemptTo(webhook: WebhookRecord, delivery: DeliveryRecord, now: number): Promise<Outcome> {
    try {
      const { id, type, worldId } = delivery;
      const working = await store.read((reader) => workingIn(reader, worldId));
      if (!working.some((each) => each.id === webhook.id)) return { kind: 'dropped', why: texts.noLonger };
      const { overdueMinutes = OVERDUE_MINUTES } = webhook.definition;
      const message = await composeMessage(runtime, delivery, { origin: tools.publicUrl(), overdueMinutes });
      if (message === undefined) return { kind: 'dropped', why: texts.deleted };
      if (type === 'approval.overdue' && message.data.approval?.status !== 'pending')
        return { kind: 'dropped', why: texts.inTime };
      const secrets = openSecrets(box, webhook);
      if (secrets === undefined) return { kind: 'failed', why: texts.otherKey };
      const { format = 'standard' } = webhook.definition;
      const { url, body } = renderMessage(message, format, secrets.url);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Countersign',
        ...signedHeaders({ id, body, keys: secrets.keys }, now),
      };
      const status = await post(url, { headers, body, signal }, route);
      return status >= 200 && status < 300 ? { kind: 'sent' } : { kind: 'failed', why: texts.status(status) };
    } catch (error) {
      return { kind: 'failed', why: reasonOf(error) };
    }
  }

  return {
    tools,
    start() {
      unwatch = runtime.bus.watchStored((event) => {
        if (happenedIn(event) !== undefined) worlds.soon(event.worldId);
      });
      sending.inBackground(lookEverywhere());
      if (store.shared !== undefined) sending.repeat(LOOK_MS, lookEverywhere);
    },
    send: (webhookId) => sending.soon(webhookId),
    close() {
      unwatch();
      worlds.close();
      sending.close();
    },
  };
}

/** The webhooks that are told about a world: active ones with an owner who may still have them, and read it. */
async function workingIn(reader: Pick<StoreReader, 'webhooks' | 'person'>, worldId: string): Promise<WebhookRecord[]> {
  const working: WebhookRecord[] = [];
  for (const webhook of await reader.webhooks()) {
    const { active, worlds } = webhook.definition;
    if (active && (worlds?.includes(worldId) ?? true) && (await mayTell(reader, webhook, worldId)))
      working.push(webhook);
  }
  return working;
}

/** With the roles that were last known: nobody is there to sign in again when something happens. */
async function mayTell(
  reader: Pick<StoreReader, 'person'>,
  { personId }: WebhookRecord,
  worldId: string,
): Promise<boolean> {
  if (personId === null) return true;
  const person = await reader.person(personId);
  if (person === undefined || isSignedOut(person)) return false;
  return actionsOf({ person }).has('admin') && actionsOf({ person }, worldId).has('read');
}

async function deliveriesOf(
  reader: StoreReader,
  { id: webhookId, createdAt, definition: { events, overdueMinutes = OVERDUE_MINUTES } }: WebhookRecord,
  event: StoredEvent,
): Promise<DeliveryRecord[]> {
  const happened = event.at < createdAt ? undefined : await readEvent(reader, event);
  if (happened === undefined) return [];
  const { worldId, id: eventId, at } = event;
  const types =
    happened.type === 'approval.requested' ? ([happened.type, 'approval.overdue'] as const) : [happened.type];
  return types
    .filter((type) => events.includes(type))
    .map((type) => {
      // A chat becomes idle often, everything else happens once.
      const subject = type === 'chat.idle' ? `${worldId} ${eventId}` : happened.subject;
      const hash = createHash('sha256').update(JSON.stringify([webhookId, type, subject]));
      return {
        ...{ id: `msg_${hash.digest('base64url').slice(0, 24)}`, webhookId, worldId, eventId, type },
        subject: happened.subject,
        state: 'pending',
        attempts: 0,
        nextAt: type === 'approval.overdue' ? at + overdueMinutes * 60_000 : at,
        problem: null,
        createdAt: at,
        endedAt: null,
      };
    });
}
