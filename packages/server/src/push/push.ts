import { createHash } from 'node:crypto';
import { pageApprovals } from '@countersign/core';
import type { PushData, StoreReader } from '@countersign/core/ports';
import type { QueuedApproval } from '@countersign/protocol';
import { createKeyedWork } from '../outbound/keyed-work.js';
import { composeNotice, type Notice } from './compose-notice.js';
import { denyCode } from './deny-code.js';
import { maySignNow } from './may-sign-now.js';
import { pushKeys } from './push-keys.js';
import type { PushTools } from './push-tools.js';
import { sendPush, type Sent } from './send-push.js';
import { openDevice, readSubscriptions, type Subscription } from './subscriptions.js';

/** Notifications to people's devices (PUSH). */
export interface Push {
  readonly tools: PushTools;
  /** Sends what earlier processes didn't. Then follows the calls that wait. */
  start(): void;
  /** Sends one message to a device, whatever waits. */
  test(subscription: Subscription, notice: Notice): Promise<Sent>;
  /** Gives up what is being sent: the next process sends it. */
  close(): void;
}

/** Calls that come sooner after a notification are folded into the next one. */
const FOLD_MS = 10_000;
/** After a failure; it doubles with each further one. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How often processes that share a store look for what one that died didn't send. */
const LOOK_MS = 15_000;
const PAGE = 100;

/**
 * Keeps the notifications of every device as the store says: which calls wait in a world, and for whom. Nothing is queued. Each subscription remembers what
 * its device was told last, which is written after it was sent, so a process that dies in between is only caught up with. Each sending reads again who may
 * sign, and what waits.
 */
export function createPush(tools: PushTools): Push {
  const { runtime, box, route, lifetimes, log } = tools;
  const { store, clock } = runtime;
  const failures = new Map<string, number>();
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
    const { working, ended, world, now } = await store.read(async (reader) => ({
      ...(await readSubscriptions(reader, lifetimes)),
      world: await reader.world(worldId),
      now: reader.now(),
    }));
    for (const id of ended) await store.transact('', (tx) => tx.endCredential(id));
    if (working.length === 0) return;
    const isThere = world !== undefined;
    const waiting = isThere ? await pageApprovals(runtime, worldId, { status: 'pending', limit: PAGE }) : { items: [] };
    const about = { world: { id: worldId, name: world?.name ?? worldId }, more: 'next' in waiting, now };
    await Promise.all(working.map((each) => tellDevice(each, { ...about, items: waiting.items })));
  }

  async function tellDevice(subscription: Subscription, { world, items, more, now }: Waiting): Promise<void> {
    const { id, person, push } = subscription;
    const may = subscription.mayIn(world.id);
    const calls = may.has('read') && may.has('sign') ? items.filter((call) => maySignNow(call, person.id)) : [];
    const told = push.told[world.id] ?? { ids: [], at: 0 };
    const ids = calls.map(({ approvalId }) => approvalId);
    // With more than a page, one that moves up isn't new.
    const isNew = told.ids.length < PAGE && ids.some((each) => !told.ids.includes(each));
    if (!isNew && ids.length === told.ids.length) return;
    const since = now - told.at;
    // A flood becomes one notification. What has ended is withdrawn at once.
    if (isNew && ids.length > 1 && since >= 0 && since < FOLD_MS) return lookLater(world.id, FOLD_MS - since);
    const denialOf = ({ approvalId, callHash }: Pick<QueuedApproval, 'approvalId' | 'callHash'>): string =>
      denyCode(box, { subscription: id, world: world.id, approval: approvalId, callHash });
    const notice = composeNotice({ world, calls, more: more && calls.length > 0, isNew, denialOf });
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

  /** Merged into what is stored: other worlds, and other processes, write here too. */
  async function remember(id: string, worldId: string, ids: readonly string[]): Promise<void> {
    await store.transact('', async (tx) => {
      const found = await tx.credential(id);
      const push = found?.credential.data.push;
      if (found === undefined || push === undefined) return;
      const { [worldId]: _, ...others } = push.told;
      const told: PushData['told'] = ids.length === 0 ? others : { ...others, [worldId]: { ids, at: tx.now() } };
      await tx.updateCredential(id, { ...found.credential.data, push: { ...push, told } });
      await tx.useCredential(id, { usedAt: tx.now(), expiresAt: null });
    });
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
  now: number;
}

/** The worlds in which calls wait. */
async function waitingIn(reader: StoreReader): Promise<string[]> {
  const found: string[] = [];
  for (const { id } of await reader.worlds()) if ((await reader.countPendingOf(id, { most: 1 })) > 0) found.push(id);
  return found;
}
