import type { Fact, StepWrites, StoredEvent } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { Statements } from '../statements.js';
import type { Batch } from './batch.js';
import type { SqliteConnection } from './connection.js';
import { factWriter } from './fact-writer.js';
import { countWorking, type Heads, type KeptChat, type KeptStates } from './kept-states.js';
import { numberAndChain } from './number-and-chain.js';

interface Planned {
  events: StoredEvent[];
  /** Where the world's events and records end afterwards, if it has said any. */
  heads: Heads | undefined;
}

export interface StepWriter {
  /** Puts the batch together. Throws what a step does wrong by itself, while nothing is written. */
  plan(worldId: string, now: number, writes: StepWrites): Planned;
  /** After the batch was run: what is kept follows. */
  follow(worldId: string, writes: StepWrites, planned: Planned, given: Iterable<KeptChat>): void;
}

export function stepWriter(on: SqliteConnection, batch: Batch, s: Statements, kept: KeptStates): StepWriter {
  const readHeads = headsReader(on, s);
  const pendingOf = on.all(s.pendingOfAgent, ([, waiting]) => waiting);
  const agentOf = on.first(s.approval, (row) => row[3]);
  const agentIdTaken = on.first(s.agentIdTaken, ([id]) => id);
  const addFacts = factWriter(batch, s);
  const addSaid = numberAndChain(batch, s);

  /** Only one process writes, so what is pending now and what the step adds is all there is (A34). */
  function assertWithinLimit(worldId: string, { facts, limit }: StepWrites): void {
    if (limit === undefined) return;
    let pending = pendingOf({ worldId, agentId: limit.agentId }).reduce((sum, waiting) => sum + waiting, 0);
    for (const fact of facts) {
      if (fact.kind === 'approval-requested' && fact.approval.agentId === limit.agentId) pending += 1;
      if (fact.kind === 'approval-settled' && agentOf({ id: fact.approvalId }) === limit.agentId) pending -= 1;
    }
    if (pending <= limit.mostPending) return;
    throw new CountersignError('conflict', `At most ${limit.mostPending} approvals of an agent can be pending.`);
  }
  function assertFree(fact: Fact): void {
    if (fact.kind !== 'agent-added' || agentIdTaken(fact.agent) === undefined) return;
    throw new CountersignError(
      'conflict',
      `The agent id "${fact.agent.id}" was given before and is never given again.`,
    );
  }

  /** What is known of a chat beside its state. */
  function note(chatId: string, text: number, has: { grants?: true; unknown?: true }): void {
    const chat = kept.chat(chatId);
    if (chat === undefined) return;
    if (text > 0) kept.grow(chat, text);
    if (has.grants === true) chat.hasGrants = true;
    if (has.unknown === true) chat.hasUnknown = true;
  }
  function followFact(fact: Fact): void {
    switch (fact.kind) {
      case 'turn-queued':
        // A chat that was created in this step: its turns are not followed.
        if (kept.chat(fact.turn.chatId) === undefined) delete kept.world(fact.turn.worldId).working;
        return;
      case 'call-proposed':
        note(fact.call.chatId, fact.call.arguments.length, fact.call.outcomeUnknown ? { unknown: true } : {});
        return;
      case 'call-changed': {
        const { arguments: text, result, outcomeUnknown } = fact.change;
        const more = (text?.length ?? 0) + (result?.length ?? 0);
        note(fact.chatId, more, outcomeUnknown === true ? { unknown: true } : {});
        return;
      }
      case 'approval-requested': {
        const { chatId, message, preview } = fact.approval;
        note(chatId, message.length + (preview?.text.length ?? 0), {});
        return;
      }
      case 'grant-given':
        note(fact.grant.chatId, 0, { grants: true });
        return;
      case 'chat-deleted':
        kept.clear();
        return;
      case 'policy-changed':
      case 'agent-removed':
        delete kept.world(fact.worldId).rev;
        return;
      case 'agent-added':
        delete kept.world(fact.agent.worldId).rev;
        return;
      case 'world-deleted':
        kept.clear();
        return;
      case 'chat-created':
      case 'chat-changed':
      case 'message-written':
      case 'turn-changed':
      case 'outcome-accepted':
      case 'approval-settled':
      case 'grant-used':
    }
  }

  return {
    plan(worldId, now, writes) {
      batch.clear();
      assertWithinLimit(worldId, writes);
      for (const fact of writes.facts) assertFree(fact);
      addFacts(writes.facts, now);
      if (writes.emissions.length === 0 && writes.records.length === 0) return { events: [], heads: undefined };
      const heads = kept.world(worldId).heads ?? readHeads(worldId);
      return addSaid(worldId, now, heads, writes);
    },
    follow(worldId, { facts }, { heads }, given) {
      for (const chat of given) {
        const working = countWorking(chat.state);
        const world = kept.world(chat.state.chat.worldId);
        if (world.working !== undefined) world.working += working - chat.working;
        chat.working = working;
      }
      for (const fact of facts) followFact(fact);
      if (heads !== undefined) kept.world(worldId).heads = heads;
    },
  };
}

/** Where a world's events and records end. One that is gone keeps its row, so its last words are numbered too. */
export function headsReader(on: SqliteConnection, s: Statements): (worldId: string) => Heads {
  const read = on.first(s.heads, ([lastEvent, seq, hash]): Heads => ({ lastEvent, seq, hash }));
  return (worldId) => {
    const heads = read({ worldId });
    if (heads === undefined) throw new CountersignError('not-found', `There is no world "${worldId}".`);
    return heads;
  };
}
