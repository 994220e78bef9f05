import type { Emission, StepWrites, StoredEvent } from '@countersign/core/ports';
import { recordText } from '@countersign/protocol';
import { toStored } from '../../text.js';
import { toEventRow, toStoredEvent } from '../../verbs/events.js';
import type { CachedChat, CachedClient } from './chat-cache.js';
import type { Rows } from './plan.js';

/** Events and records in the format of the append function. Throws for unsupported values before anything is sent. */
export function toLogWrites(worldId: string, at: number, { emissions, records }: LogWrites): object {
  const time = new Date(at).toISOString();
  return {
    at,
    ...(emissions.length === 0 ? {} : { events: emissions.map((emission) => toCells(worldId, emission)) }),
    ...(records.length === 0
      ? {}
      : { audit: records.map((entry) => toStored(recordText({ ...entry, at: time, worldId }))) }),
  };
}

type LogWrites = Pick<StepWrites, 'emissions' | 'records'>;

/** When a step was decided, and based on which versions. */
export interface Decided {
  worldId: string;
  at: number;
  rev: number;
  chats: ReadonlyMap<string, CachedChat>;
  clients: ReadonlyMap<string, CachedClient>;
  /** The version of the people and groups. Undefined if the step doesn't read them. */
  people: string | null | undefined;
  /** The number of working turns that the step assumed. Undefined if it was known. */
  working: number | undefined;
}

/** A complete step in the format of the append function. */
export function toStep(decided: Decided, rows: Rows | undefined, writes: StepWrites): object {
  const { worldId, at, working } = decided;
  return {
    ...toLogWrites(worldId, at, writes),
    ...rows,
    ...toCheck(decided),
    ...(working === undefined ? {} : { working }),
    ...toLimit(writes),
  };
}

/** The versions that must still be current. */
export function toCheck({ at, rev, chats, clients, people }: Decided): object {
  const versions = (of: ReadonlyMap<string, { version: string | null }>): object =>
    Object.fromEntries(Array.from(of, ([id, { version }]) => [toStored(id), version]));
  return {
    at,
    rev,
    chats: versions(chats),
    ...(clients.size === 0 ? {} : { clients: versions(clients) }),
    ...(people === undefined ? {} : { people }),
  };
}

/** The approval limit, and how many of `changes` request one. */
export function toLimit({ changes, limit }: Pick<StepWrites, 'changes' | 'limit'>): object {
  if (limit === undefined) return {};
  const asked = changes.filter((fact) => fact.kind === 'approval-requested' && fact.approval.agentId === limit.agentId);
  return { limit: { agent: toStored(limit.agentId), most: limit.mostPending, asks: asked.length } };
}

/** The numbered events, with the actual number of working turns. */
export function eventsOf(
  worldId: string,
  at: number,
  emissions: readonly Emission[],
  lastEvent: number,
  moreWorking: number,
): StoredEvent[] {
  const first = lastEvent - emissions.length + 1;
  return emissions.map((emission, index) => {
    const event = toStoredEvent(worldId, first + index, at, emission);
    if (event.event !== 'world' || moreWorking === 0) return event;
    const pendingOperations = event.data.pendingOperations + moreWorking;
    return { ...event, data: { ...event.data, pendingOperations } };
  });
}

function toCells(worldId: string, emission: Emission): unknown[] {
  const { chatId, event, messageId, data } = toEventRow(worldId, 0, 0, emission);
  const cells = [chatId, event, messageId, data].map((cell) => (cell === null ? null : toStored(cell)));
  return emission.event === 'world' ? [...cells, emission.data.pendingOperations] : cells;
}
