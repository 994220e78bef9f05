import { randomBytes } from 'node:crypto';
import { changeSchedule, maskSecrets, readWorld, type Runtime } from '@countersign/core';
import type { PersonRecord, ScheduleRecord, ScheduleTimes, StoreReader } from '@countersign/core/ports';
import {
  CountersignError,
  type NewSchedule,
  type Schedule,
  type ScheduleChange,
  type Signer,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { actionsOf, type Access } from '../people/access.js';
import { nextDue, readTimes } from './next-due.js';

/** In one world. */
const MOST = 50;

/** Who asks for what in a world. */
export interface Asking {
  worldId: string;
  access: Access;
  signer: Signer;
}

export async function listSchedules(runtime: Runtime, worldId: string): Promise<Schedule[]> {
  return await readWorld(runtime, worldId, async (reader) => {
    const people = await reader.people();
    return (await reader.schedules(worldId)).map((record) => toSchedule(record, people));
  });
}

/** The schedule sends in the name of the person who asks (SCHED1). */
export async function addSchedule(
  runtime: Runtime,
  { chatId, content, timeZone = 'UTC', ...given }: NewSchedule,
  { worldId, access, signer }: Asking,
): Promise<Schedule> {
  const { person } = access;
  if (person === undefined) throw new HttpProblem(403, problemTexts.scheduleNeedsPerson);
  return await changeSchedule(runtime, worldId, async (reader) => {
    if ((await reader.chat(chatId))?.worldId !== worldId)
      throw new CountersignError('invalid', `chatId: there is no chat "${chatId}" in this world`, { field: 'chatId' });
    if ((await reader.schedules(worldId)).length >= MOST)
      throw new HttpProblem(409, problemTexts.tooManySchedules(MOST));
    const now = reader.now();
    const record: ScheduleRecord = {
      ...activeFrom(readTimes({ timeZone, ...given }, now), now),
      id: `schedule_${randomBytes(12).toString('hex')}`,
      worldId,
      chatId,
      rev: 1,
      personId: person.id,
      ...madeWith(access),
      content,
      createdAt: now,
    };
    const fact = { row: { insert: record }, operation: 'create', decision: 'created', by: signer } as const;
    return { value: toSchedule(record, [person]), fact };
  });
}

/** Only its person decides what a schedule sends, and when. Admins can pause and delete it. */
export async function updateSchedule(
  runtime: Runtime,
  id: string,
  change: ScheduleChange,
  { worldId, access, signer }: Asking,
): Promise<Schedule> {
  return await changeSchedule(runtime, worldId, async (reader) => {
    const before = await readSchedule(reader, worldId, id);
    const { content, paused, ...times } = change;
    const isPause = paused === true && content === undefined && Object.keys(times).length === 0;
    refuseForeign(before, { worldId, access }, isPause ? 'admin' : 'nobody');
    const now = reader.now();
    const isPaused = paused ?? before.state !== 'active';
    const after = { ...withTimes(before, times, isPaused, now), content: content ?? before.content };
    const { credentialId: _before, ...others } = after;
    const record = isPause ? after : { ...others, ...madeWith(access) };
    const decision = paused === undefined ? 'changed' : paused ? 'paused' : 'resumed';
    const people = await reader.people();
    return {
      value: toSchedule(record, people),
      fact: { row: { update: record }, operation: 'update', decision, by: signer } as const,
    };
  });
}

export async function removeSchedule(runtime: Runtime, id: string, { worldId, access, signer }: Asking): Promise<void> {
  await changeSchedule(runtime, worldId, async (reader) => {
    const before = await readSchedule(reader, worldId, id);
    refuseForeign(before, { worldId, access }, 'admin');
    const fact = { row: { remove: before }, operation: 'delete', decision: 'deleted', by: signer } as const;
    return { value: undefined, fact };
  });
}

/** While a process is sending, a change would come too late for this message. */
async function readSchedule(reader: StoreReader, worldId: string, id: string): Promise<ScheduleRecord> {
  const found = await reader.schedule(id);
  if (found?.worldId !== worldId) throw new CountersignError('not-found', `there is no schedule "${id}" in this world`);
  if ((found.leaseUntil ?? 0) > reader.now()) throw new HttpProblem(409, problemTexts.scheduleIsSending);
  return found;
}

function refuseForeign(
  { personId }: ScheduleRecord,
  { worldId, access }: Pick<Asking, 'worldId' | 'access'>,
  others: 'admin' | 'nobody',
): void {
  if (access.person?.id === personId) return;
  if (others === 'admin' && actionsOf(access, worldId).has('admin')) return;
  throw new HttpProblem(403, problemTexts.foreignSchedule);
}

function withTimes(
  before: ScheduleRecord,
  { cron, at, timeZone }: Omit<ScheduleChange, 'content' | 'paused'>,
  isPaused: boolean,
  now: number,
): ScheduleRecord {
  const { leaseUntil: _, ...idle } = before;
  const given = { ...(cron !== undefined && { cron }), ...(at !== undefined && { at }) };
  const isNew = cron !== undefined || at !== undefined || timeZone !== undefined;
  const old =
    before.times.cron === undefined ? { at: new Date(before.times.at).toISOString() } : { cron: before.times.cron };
  // A time that passed while the schedule was paused can't come back.
  const times =
    isNew || !isPaused
      ? readTimes(
          { ...(Object.keys(given).length === 0 ? old : given), timeZone: timeZone ?? before.times.timeZone },
          now,
        )
      : before.times;
  if (isPaused) return { ...idle, times, state: 'paused', dueAt: null, lookAt: null };
  return { ...idle, ...activeFrom(times, now) };
}

function activeFrom(times: ScheduleTimes, now: number): Pick<ScheduleRecord, 'times' | 'state' | 'dueAt' | 'lookAt'> {
  const dueAt = nextDue(times, now) ?? null;
  return { times, state: 'active', dueAt, lookAt: dueAt };
}

/** A credential with fewer rights than its person must not leave behind a schedule that has them all, or that outlives it. */
function madeWith({ scopes, holder }: Access): { credentialId?: string } {
  return scopes === undefined ? {} : { credentialId: holder };
}

function toSchedule(record: ScheduleRecord, people: readonly PersonRecord[]): Schedule {
  const { id, chatId, personId, content, times, state, dueAt, lastAt, lastMessageId, skippedAt, createdAt } = record;
  const name = people.find((person) => person.id === personId)?.name ?? personId;
  return {
    id,
    chatId,
    by: { id: personId, name },
    content: maskSecrets(content),
    ...(times.cron === undefined ? { at: iso(times.at) } : { cron: times.cron }),
    timeZone: times.timeZone,
    state,
    ...(dueAt === null ? {} : { dueAt: iso(dueAt) }),
    ...(lastAt === undefined ? {} : { lastAt: iso(lastAt) }),
    ...(lastMessageId === undefined ? {} : { lastMessageId }),
    ...(skippedAt === undefined ? {} : { skippedAt: iso(skippedAt) }),
    createdAt: iso(createdAt),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
