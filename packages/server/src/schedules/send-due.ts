import { createHmac } from 'node:crypto';
import { changeSchedule, isConfirmed, isSignedOut, publishMessage, requesterOf, type Runtime } from '@countersign/core';
import type { PersonRecord, ScheduleRecord, StoreReader } from '@countersign/core/ports';
import { CountersignError, SYSTEM, type Who } from '@countersign/protocol';
import { createKeyedWork } from '../outbound/keyed-work.js';
import { actionsOf } from '../people/access.js';
import { hasLapsed, isUsable, type SessionLifetimes } from '../people/credentials.js';
import { nextDue } from './next-due.js';

/** Sends the messages of schedules when they are due (SCHED2). */
export interface Schedules {
  /** Looks at what is due now, and waits for what is due next. Call it after each change of a schedule. */
  look(): void;
  close(): void;
}

/** Longer than sending takes. After it, another process sends, and this one no longer can. */
const LEASE_MS = 30_000;
/** How often to look for what another process that died left, or what a jump of the clock made due. */
const LOOK_MS = 15_000;
/** If the OIDC provider can't be asked about the person. */
const CONFIRM_MS = 5 * 60_000;
const BATCH = 20;
/** All schedules are looked at together. */
const ALL = '';

export function createSchedules({
  runtime,
  lifetimes,
  log,
}: {
  runtime: Runtime;
  lifetimes: SessionLifetimes;
  log: { error(message: string, fields?: Record<string, unknown>): void };
}): Schedules {
  const { store, clock } = runtime;
  const looking = createKeyedWork(lookNow, { clock, failed: report });

  async function lookNow(): Promise<void> {
    try {
      const waitMs = await sendDue();
      if (waitMs < Infinity) looking.later(ALL, waitMs);
    } catch (error) {
      looking.later(ALL, LOOK_MS);
      throw error;
    }
  }

  /** Returns how long to wait. */
  async function sendDue(): Promise<number> {
    const due = await store.read((reader) => reader.schedulesDue(reader.now(), BATCH));
    const sent = await Promise.all(due.map((record) => send(record).then(() => true, report)));
    if (due.length === BATCH && sent.includes(true)) {
      looking.soon(ALL);
      return Infinity;
    }
    if (sent.includes(undefined)) return LOOK_MS;
    return await store.read(async (reader) => {
      const next = await reader.nextScheduleAt();
      if (next === undefined) return store.shared === undefined ? Infinity : LOOK_MS;
      return Math.min(LOOK_MS, Math.max(0, next - reader.now()));
    });
  }

  function report(error: unknown): undefined {
    if (!looking.signal.aborted) log.error('A schedule could not be looked at', { error: String(error) });
  }

  async function send({ id, worldId, personId }: ScheduleRecord): Promise<void> {
    await runtime.confirmPeople([personId]);
    try {
      const taken = await changeSchedule(runtime, worldId, async (reader) => await take(reader, id, lifetimes));
      if (taken !== undefined) await deliver(taken.record, taken.who);
    } catch (error) {
      // Its chat or world was deleted, and the schedule with it.
      const isGone = error instanceof CountersignError && error.code === 'not-found';
      if (!isGone || (await store.read((reader) => reader.schedule(id))) !== undefined) throw error;
    }
  }

  async function deliver(record: ScheduleRecord, who: Who): Promise<void> {
    const { id, worldId, chatId, content, leaseUntil = 0 } = record;
    const { messageId } = await publishMessage(runtime, {
      ...{ worldId, chatId, content, speaker: 'human', who },
      clientMessageId: messageKey(record, store.hashKey),
      scheduled: { until: leaseUntil },
    });
    await changeSchedule(runtime, worldId, async (reader) => {
      const current = await reader.schedule(id);
      // Another process took over, and has finished.
      if (current === undefined || current.dueAt !== record.dueAt) return { value: undefined };
      if (current.times.cron === undefined)
        return { value: undefined, fact: { row: { remove: current }, operation: 'delete' } };
      const sent = { ...released(current, reader.now()), lastAt: reader.now(), lastMessageId: messageId };
      return { value: undefined, fact: { row: { update: sent }, operation: 'update' } };
    });
  }

  return {
    look: () => looking.soon(ALL),
    close: () => looking.close(),
  };
}

type Decision<T> = Awaited<ReturnType<Parameters<typeof changeSchedule<T>>[2]>>;

/** Takes a schedule that is due, so that no other process sends its message. */
async function take(
  reader: StoreReader,
  id: string,
  lifetimes: SessionLifetimes,
): Promise<Decision<{ record: ScheduleRecord; who: Who } | undefined>> {
  const found = await reader.schedule(id);
  const now = reader.now();
  if (found === undefined || found.lookAt === null || found.lookAt > now) return { value: undefined };
  const person = await reader.person(found.personId);
  if (person === undefined || !(await maySend(reader, found, person, lifetimes))) {
    const stopped: ScheduleRecord = { ...withoutLease(found), state: 'stopped', dueAt: null, lookAt: null };
    const by = { who: SYSTEM };
    return { value: undefined, fact: { row: { update: stopped }, operation: 'update', decision: 'stopped', by } };
  }
  if (isSignedOut(person) || !isConfirmed(person, now))
    return { value: undefined, fact: { row: { update: { ...found, lookAt: now + CONFIRM_MS } } } };
  if (await isUnanswered(reader, found)) {
    const skipped = { ...released(found, now), skippedAt: now };
    return { value: undefined, fact: { row: { update: skipped }, operation: 'update' } };
  }
  const until = now + LEASE_MS;
  const record = { ...found, leaseUntil: until, lookAt: until };
  const who = { kind: 'person', id: person.id, name: person.name } as const;
  return { value: { record, who }, fact: { row: { update: record } } };
}

async function maySend(
  reader: StoreReader,
  { worldId, credentialId }: ScheduleRecord,
  person: PersonRecord,
  lifetimes: SessionLifetimes,
): Promise<boolean> {
  if (credentialId === undefined) return actionsOf({ person }, worldId).has('chat');
  const found = await reader.credential(credentialId);
  const now = reader.now();
  if (found === undefined || !isUsable(found, now) || hasLapsed(found.credential, now, lifetimes)) return false;
  const { scopes } = found.credential.data;
  return actionsOf({ person, ...(scopes && { scopes }) }, worldId).has('chat');
}

/** Whether agents still work on the last message, or wait for a person: a job that nobody signs must not pile up every night. */
async function isUnanswered(reader: StoreReader, record: ScheduleRecord): Promise<boolean> {
  const { chatId, personId, lastAt, leaseUntil } = record;
  // After a lease that ended, the unfinished turn may be that of the message that is due.
  if (lastAt === undefined || leaseUntil !== undefined) return false;
  const turns = await reader.unfinishedTurns();
  return turns.some((turn) => turn.chatId === chatId && turn.createdAt >= lastAt && requesterOf(turn)?.id === personId);
}

/** After downtime, the times that have passed are not made up for. */
function released(record: ScheduleRecord, now: number): ScheduleRecord {
  const dueAt = nextDue(record.times, now) ?? null;
  return { ...withoutLease(record), dueAt, lookAt: dueAt };
}

function withoutLease(record: ScheduleRecord): ScheduleRecord {
  const { leaseUntil: _lease, ...others } = record;
  return others;
}

/** Stores the message of one due time once, whichever process sends it. Nobody else can know the key, and use it first. */
function messageKey({ id, dueAt }: ScheduleRecord, key: Uint8Array): string {
  return `schedule ${createHmac('sha256', key).update(`${id} ${dueAt}`).digest('hex')}`;
}
