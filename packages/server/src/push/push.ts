import { createHash, randomUUID } from 'node:crypto';
import { pageApprovals } from '@countersign/core';
import type { GroupRecord, PersonRecord, PushData, PushTold, StoreReader } from '@countersign/core/ports';
import type { QueuedApproval } from '@countersign/protocol';
import { createWindow } from '../app/limit-window.js';
import { createKeyedWork } from '../outbound/keyed-work.js';
import { composeNotice, type Notice } from './compose-notice.js';
import { denyCode } from './deny-code.js';
import { maySignNow } from './may-sign-now.js';
import { pushKeys } from './push-keys.js';
import type { PushTools } from './push-tools.js';
import { quietUntil } from './quiet-until.js';
import { sendPush, type Sent } from './send-push.js';
import { openDevice, readSubscriptions, type Subscription } from './subscriptions.js';

/** Notifications to people's devices (PUSH). */
export interface Push {
  readonly tools: PushTools;
  /** Sends what earlier processes didn't. Then follows the calls that wait. */
  start(): void;
  /** How often each person changes the settings of their devices: each change is recorded. */
  readonly changes: ReturnType<typeof createWindow>;
  /** Sends one message to a device, whatever waits. */
  test(subscription: Subscription, notice: Notice): Promise<Sent>;
  /** Gives up what is being sent: the next process sends it. */
  close(): void;
}

/** Calls that come sooner after a notification are folded into the next one. */
const FOLD_MS = 10_000;
const CHANGES_PER_MINUTE = 20;
/** After a failure; it doubles with each further one. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How often processes that share a store look for what one that died didn't send. */
const LOOK_MS = 15_000;
/** How long other processes leave a device alone that one is sending to: longer than that takes. */
const SENDING_MS = 15_000;
/** When to look again after another process was sending. */
const AGAIN_MS = 1000;
const PAGE = 100;
const NOTHING_TOLD: PushTold = { ids: [], at: 0 };

/**
 * Keeps the notifications of every device as the store says: which calls wait in a world, and for whom. Nothing is queued. Each subscription remembers what
 * its device was told last, which is written after it was sent, so a process that dies in between is only caught up with. Each sending reads again who may
 * sign, and what waits.
 */
export function createPush(tools: PushTools): Push {
  const { runtime, box, route, lifetimes, tellAfter, log } = tools;
  const { store, clock } = runtime;
  const failures = new Map<string, number>();
  const self = randomUUID();
  const looking = createKeyedWork(tell, {
    clock,
    failed: (error) => log.error('Notifications could not be sent', { error: String(error) }),
  });
  const { soon: look, later: lookLater, inBackground, signal } = looking;

  async function lookEverywhere(): Promise<void> {
    const worlds = await store.read(async (reader) => {
      const { working } = await readSubscriptions(reader, lifetimes);
      if (working.length === 0) return [];
      const told = working.flatMap(({ push }) => Object.keys(push.told));
      return [...new Set([...told, ...(await waitingIn(reader))])];
    });
    for (const worldId of worlds) look(worldId);
  }

  /** Tells every device what waits in a world now, if it was told something else. */
  async function tell(worldId: string): Promise<void> {
    const { working, ended, world, groups, now } = await store.read(async (reader) => ({
      ...(await readSubscriptions(reader, lifetimes)),
      world: await reader.world(worldId),
      groups: Object.keys(tellAfter).length === 0 ? [] : await reader.groups(),
      now: reader.now(),
    }));
    for (const id of ended) await store.transact('', (tx) => tx.endCredential(id));
    if (working.length === 0) return;
    const isThere = world !== undefined;
    const waiting = isThere ? await pageApprovals(runtime, worldId, { status: 'pending', limit: PAGE }) : { items: [] };
    const about = { world: { id: worldId, name: world?.name ?? worldId }, more: 'next' in waiting, groups, now };
    await Promise.all(working.map((each) => tellDevice(each, { ...about, items: waiting.items })));
  }

  async function tellDevice(subscription: Subscription, { world, items, more, groups, now }: Waiting): Promise<void> {
    const { id, person, push } = subscription;
    const may = subscription.mayIn(world.id);
    const all = may.has('read') && may.has('sign') ? items.filter((call) => maySignNow(call, person.id)) : [];
    const told = toldIn(push, world.id);
    const waitedMs = waitOf(person, groups, tellAfter);
    const quiet = quietUntil(push.quietHours, now) ?? 0;
    /** When the device may be told of a call. */
    const dueOf = (call: QueuedApproval): number => Math.max(Date.parse(call.requestedAt) + waitedMs, quiet);
    const calls = all.filter((call) => told.ids.includes(call.approvalId) || dueOf(call) <= now);
    const next = Math.min(...all.filter((call) => !calls.includes(call)).map(dueOf));
    if (next !== Infinity) lookLater(world.id, next - now);
    const ids = calls.map(({ approvalId }) => approvalId);
    // With more than a page, one that moves up isn't new.
    const isNew = told.ids.length < PAGE && ids.some((each) => !told.ids.includes(each));
    if (!isNew && ids.length === told.ids.length) return;
    const since = now - told.at;
    // A flood becomes one notification. What has ended is withdrawn at once.
    if (isNew && ids.length > 1 && since >= 0 && since < FOLD_MS) return lookLater(world.id, FOLD_MS - since);
    if (!(await claim(id, world.id, told))) return;
    const denialOf = ({ approvalId, callHash }: Pick<QueuedApproval, 'approvalId' | 'callHash'>): string =>
      denyCode(box, { subscription: id, world: world.id, approval: approvalId, callHash });
    const notice = composeNotice({ world, calls, more: more && calls.length > 0, isNew, waitedMs, denialOf });
    const sent = await send(subscription, notice);
    switch (sent.kind) {
      case 'gone':
        await store.transact('', (tx) => tx.endCredential(id));
        return;
      case 'failed': {
        const times = failures.get(id) ?? 0;
        failures.set(id, times + 1);
        lookLater(world.id, Math.min(RETRY_MS * 2 ** times, LONGEST_RETRY_MS));
        return;
      }
      case 'refused':
      case 'sent':
        failures.delete(id);
        await remember(id, world.id, ids);
    }
  }

  async function send(subscription: Subscription, notice: Notice): Promise<Sent> {
    const device = openDevice(box, subscription);
    // The server has another secrets key now, or can't read it at the moment.
    if (device === undefined) return { kind: 'refused', why: 'the endpoint could not be decrypted' };
    const urgency = notice.silent === true ? 'normal' : 'high';
    const topic = createHash('sha256').update(notice.tag).digest('base64url').slice(0, 32);
    const sent = await sendPush(device, notice, { urgency, topic, signal }, { route, own: pushKeys(box) });
    if ('why' in sent) {
      const { id, push } = subscription;
      log.warn('A notification could not be sent', { subscription: id, service: push.service, why: sent.why });
    }
    return sent;
  }

  async function remember(id: string, worldId: string, ids: readonly string[]): Promise<void> {
    await changeTold(id, worldId, (_, now) => (ids.length === 0 ? 'nothing' : { ids, at: now }));
  }

  /** Whether this process may send: several that share a store may look at the same time, such as when quiet hours end. */
  async function claim(id: string, worldId: string, seen: PushTold): Promise<boolean> {
    if (store.shared === undefined) return true;
    return await changeTold(id, worldId, (told, now) => {
      const { sending, ...last } = told;
      const isOurs = sending === undefined || sending.by === self || sending.until <= now;
      const isSame = last.at === seen.at && last.ids.length === seen.ids.length;
      if (!isOurs || !isSame) {
        lookLater(worldId, isOurs ? 0 : AGAIN_MS);
        return undefined;
      }
      return { ...last, sending: { by: self, until: now + SENDING_MS } };
    });
  }

  /** Merged into what is stored, under a lock: other worlds, and other processes, write here too. */
  async function changeTold(
    id: string,
    worldId: string,
    change: (told: PushTold, now: number) => PushTold | 'nothing' | undefined,
  ): Promise<boolean> {
    const { value } = await store.transact('', async (tx) => {
      await tx.lockServerLog();
      const found = await tx.credential(id);
      const push = found?.credential.data.push;
      if (found === undefined || push === undefined) return false;
      const { [worldId]: _, ...others } = push.told;
      const after = change(toldIn(push, worldId), tx.now());
      if (after === undefined) return false;
      const all: PushData['told'] = after === 'nothing' ? others : { ...others, [worldId]: after };
      await tx.updateCredential(id, { ...found.credential.data, push: { ...push, told: all } });
      if (after === 'nothing' || after.sending === undefined)
        await tx.useCredential(id, { usedAt: tx.now(), expiresAt: null });
      return true;
    });
    return value;
  }

  return {
    tools,
    start() {
      runtime.background.onWaiting = (worldId) => {
        if (worldId === undefined) inBackground(lookEverywhere());
        else look(worldId);
      };
      inBackground(lookEverywhere());
      if (store.shared !== undefined) looking.repeat(LOOK_MS, lookEverywhere);
    },
    changes: createWindow(runtime.clock, 60_000, CHANGES_PER_MINUTE),
    test: send,
    close() {
      looking.close();
      runtime.background.onWaiting = () => undefined;
    },
  };
}

interface Waiting {
  world: { id: string; name: string };
  items: readonly QueuedApproval[];
  /** More wait than the items. */
  more: boolean;
  groups: readonly GroupRecord[];
  now: number;
}

/** A world can have the name of something that every object has, such as `constructor`. So can a group. */
function toldIn({ told }: Pick<PushData, 'told'>, worldId: string): PushTold {
  return (Object.hasOwn(told, worldId) ? told[worldId] : undefined) ?? NOTHING_TOLD;
}

/** How long calls wait before a person is told. Those who are in no group that is told later are told at once. */
function waitOf({ id, oidc }: PersonRecord, groups: readonly GroupRecord[], tellAfter: PushTools['tellAfter']): number {
  const waits = groups
    .filter(({ people, oidcGroup }) => people.includes(id) || (oidcGroup !== null && oidc?.groups.includes(oidcGroup)))
    .flatMap(({ name }) => (Object.hasOwn(tellAfter, name) ? (tellAfter[name] ?? []) : []));
  return waits.length === 0 ? 0 : Math.min(...waits);
}

/** The worlds in which calls wait. */
async function waitingIn(reader: StoreReader): Promise<string[]> {
  const found: string[] = [];
  for (const { id } of await reader.worlds()) if ((await reader.countPendingOf(id, { most: 1 })) > 0) found.push(id);
  return found;
}
