import { approvalLength } from '../../verbs/approvals.js';
import type { RowChange, StepWrites, StoredEvent } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { Statements } from '../../statements.js';
import type { SqliteConnection } from '../connection.js';
import type { Entry } from '../log/entry.js';
import { countWorking, type Heads, type CachedChat, type StateCache } from './chat-cache.js';
import { numberAndChain } from './number-and-chain.js';

interface Planned {
  entry: Entry;
  events: StoredEvent[];
}

export interface StepWriter {
  /** Throws if the step is invalid, before anything is written. */
  plan(worldId: string, now: number, writes: StepWrites): Planned;
  /** Updates the cache after the entry was added. */
  follow(entry: Entry, given: Iterable<CachedChat>): void;
}

export function stepWriter(
  on: SqliteConnection,
  folded: SqliteConnection,
  s: Statements,
  cache: StateCache,
  assertWritable: (entry: Entry) => void,
): StepWriter {
  const readHeads = headsReader(folded, s);
  const pendingOf = folded.all(s.pendingOfAgent, (row) => row);
  const agentIdTaken = on.first(s.agentIdTaken, ([id]) => id);

  /** Only one process writes, so the cached count plus this step is exact (CALL19). */
  function assertWithinLimit(worldId: string, { changes, limit }: StepWrites): void {
    if (limit === undefined) return;
    const { agentId, mostPending } = limit;
    let pending = 0;
    for (const waiting of cache.pending(worldId, agentId, pendingOf).values()) pending += waiting;
    for (const row of changes) {
      if (row.kind === 'approval-requested' && row.approval.agentId === agentId) pending += 1;
      if (row.kind === 'approval-settled' && row.agentId === agentId) pending -= 1;
    }
    if (pending <= mostPending) return;
    throw new CountersignError('conflict', `An agent can have at most ${mostPending} pending approvals.`);
  }
  function assertFree(row: RowChange): void {
    if (row.kind !== 'agent-added' || agentIdTaken(row.agent) === undefined) return;
    throw new CountersignError('conflict', `The agent id "${row.agent.id}" was used before and can't be reused.`);
  }

  function number(worldId: string, now: number, writes: StepWrites): Planned {
    const { changes, emissions, records } = writes;
    if (emissions.length === 0 && records.length === 0) {
      return { entry: { worldId, now, changes, events: [], links: [], heads: undefined }, events: [] };
    }
    const before = cache.world(worldId).heads ?? readHeads(worldId);
    const { events, rows, links, heads } = numberAndChain(worldId, now, before, writes);
    return { entry: { worldId, now, changes, events: rows, links, heads }, events };
  }

  /** Updates the cached facts about a chat besides its state. */
  function note(chatId: string, text: number, has: { grants?: true; unknown?: true }): void {
    const chat = cache.chat(chatId);
    if (chat === undefined) return;
    if (text > 0) cache.grow(chat, text);
    if (has.grants === true) chat.hasGrants = true;
    if (has.unknown === true) chat.hasUnknown = true;
  }
  function followChange(worldId: string, row: RowChange): void {
    switch (row.kind) {
      case 'turn-queued':
        // The chat was created in this step, so the cache doesn't count its turns.
        if (cache.chat(row.turn.chatId) === undefined) delete cache.world(row.turn.worldId).working;
        return;
      case 'call-proposed':
        note(row.call.chatId, row.call.arguments.length, row.call.outcomeUnknown ? { unknown: true } : {});
        return;
      case 'call-changed': {
        const { arguments: text, result, outcomeUnknown } = row.change;
        const more = (text?.length ?? 0) + (result?.length ?? 0);
        note(row.chatId, more, outcomeUnknown === true ? { unknown: true } : {});
        return;
      }
      case 'approval-requested': {
        note(row.approval.chatId, approvalLength(row.approval), {});
        cache.countPending(row.approval, 1);
        return;
      }
      case 'approval-settled':
        cache.countPending({ worldId, chatId: row.chatId, agentId: row.agentId }, -1);
        return;
      case 'grant-given':
        note(row.grant.chatId, 0, { grants: true });
        return;
      case 'chat-deleted':
        cache.clear();
        return;
      case 'policy-changed':
      case 'agent-removed':
        delete cache.world(row.worldId).rev;
        return;
      case 'agent-added':
        delete cache.world(row.agent.worldId).rev;
        return;
      case 'world-deleted':
        cache.clear();
        return;
      case 'chat-created':
      case 'chat-changed':
      case 'message-written':
      case 'turn-changed':
      case 'outcome-accepted':
      case 'approval-signed':
      case 'grant-used':
    }
  }

  return {
    plan(worldId, now, writes) {
      assertWithinLimit(worldId, writes);
      for (const row of writes.changes) assertFree(row);
      const planned = number(worldId, now, writes);
      assertWritable(planned.entry);
      return planned;
    },
    follow({ worldId, changes, heads }, given) {
      for (const chat of given) {
        const working = countWorking(chat.state);
        const world = cache.world(chat.state.chat.worldId);
        if (world.working !== undefined) world.working += working - chat.working;
        chat.working = working;
      }
      for (const row of changes) followChange(worldId, row);
      if (heads !== undefined) cache.world(worldId).heads = heads;
    },
  };
}

/** The heads of a world. A deleted world's row is kept, so its last events are numbered too. */
export function headsReader(on: SqliteConnection, s: Statements): (worldId: string) => Heads {
  const read = on.first(s.heads, ([lastEvent, seq, hash]): Heads => ({ lastEvent, seq, hash }));
  return (worldId) => {
    const heads = read({ worldId });
    if (heads === undefined) throw new CountersignError('not-found', `There is no world "${worldId}".`);
    return heads;
  };
}
