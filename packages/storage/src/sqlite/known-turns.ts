import type { OpenCall, StoreTransaction, TurnRecord } from '@countersign/core/ports';
import type { ChatEntry, WorkingSet } from './working-set.js';

type TurnVerbs = Pick<
  StoreTransaction,
  | 'turn'
  | 'currentTurn'
  | 'nextQueuedTurn'
  | 'countUnfinished'
  | 'countWorking'
  | 'insertTurn'
  | 'stepTurn'
  | 'fenceTurn'
  | 'claimTurn'
>;

/** The verbs about turns, with what is known of them in mind. `plain` are the same without. */
export function knownTurns(
  plain: StoreTransaction,
  known: WorkingSet,
  chatEntry: (id: string) => Promise<ChatEntry | undefined>,
): TurnVerbs {
  /** Undefined: there is no such chat. */
  async function unfinishedIn(chatId: string): Promise<Map<string, TurnRecord> | undefined> {
    const entry = known.chatOf(chatId) ?? (await chatEntry(chatId));
    if (entry === undefined) return undefined;
    if (entry.turns === undefined) {
      const found = await plain.unfinishedTurns(chatId);
      entry.turns = new Map();
      delete known.world(entry.record.worldId).working;
      for (const turn of found) known.putTurn(turn, undefined);
    }
    return entry.turns;
  }
  /** A row that was changed without being known: whatever else is known of its chat may be wrong. */
  function lookAgain({ chatId, worldId }: Pick<TurnRecord, 'chatId' | 'worldId'>): void {
    known.forgetTurns(chatId, worldId);
  }
  function replaced(turn: TurnRecord | undefined): TurnRecord | undefined {
    if (turn === undefined) return undefined;
    const before = known.turns.get(turn.id);
    if (before === undefined) lookAgain(turn);
    else known.putTurn(turn, before);
    return turn;
  }

  return {
    async turn(id) {
      const remembered = known.turns.get(id);
      if (remembered !== undefined) return remembered;
      const turn = await plain.turn(id);
      if (turn !== undefined && turn.state !== 'ended') await unfinishedIn(turn.chatId);
      return turn;
    },
    async currentTurn(chatId, agentId) {
      const turns = await unfinishedIn(chatId);
      if (turns === undefined) return await plain.currentTurn(chatId, agentId);
      for (const turn of turns.values()) {
        if (turn.agentId === agentId && turn.state !== 'queued') return turn;
      }
      return undefined;
    },
    async nextQueuedTurn(chatId, agentId) {
      const turns = await unfinishedIn(chatId);
      if (turns === undefined) return await plain.nextQueuedTurn(chatId, agentId);
      let first: TurnRecord | undefined;
      for (const turn of turns.values()) {
        if (turn.agentId !== agentId || turn.state !== 'queued') continue;
        if (first === undefined || turn.triggerSeq < first.triggerSeq) first = turn;
      }
      return first;
    },
    async countUnfinished(chatId) {
      const turns = await unfinishedIn(chatId);
      if (turns === undefined) return await plain.countUnfinished(chatId);
      const count = { working: 0, waiting: 0 };
      for (const { state } of turns.values()) {
        if (state === 'open') count.working += 1;
        else if (state === 'waiting') count.waiting += 1;
      }
      return count;
    },
    async countWorking(worldId) {
      const world = known.world(worldId);
      world.working ??= await plain.countWorking(worldId);
      return world.working;
    },

    async insertTurn(turn) {
      await unfinishedIn(turn.chatId);
      const inserted = await plain.insertTurn(turn);
      if (inserted) known.putTurn(turn, undefined);
      return inserted;
    },
    async stepTurn(fence, change) {
      const stepped = await plain.stepTurn(fence, change);
      if (!stepped) return false;
      const before = known.turns.get(fence.id);
      if (before === undefined) {
        const turn = await plain.turn(fence.id);
        if (turn !== undefined) lookAgain(turn);
        return true;
      }
      known.putTurn({ ...before, ...change, rev: before.rev + 1 }, before);
      // Of an answer that this very step writes, there can't be a call yet.
      if (change.iteration !== undefined && change.iteration > before.iteration) {
        known.beginCalls(fence.id, change.iteration, []);
      }
      return true;
    },
    fenceTurn: async (id, change) => replaced(await plain.fenceTurn(id, change)),
    claimTurn: async (turn, claim) => replaced(await plain.claimTurn(turn, claim)),
  };
}

type CallVerbs = Pick<StoreTransaction, 'invocation' | 'openCalls' | 'insertInvocation' | 'changeInvocation'>;

/** The verbs about calls, likewise. */
export function knownCalls(plain: StoreTransaction, known: WorkingSet): CallVerbs {
  return {
    invocation: async (id) => known.calls.get(id) ?? (await plain.invocation(id)),
    async openCalls(turnId, iteration, page) {
      if (known.openCalls.get(turnId)?.iteration !== iteration) {
        if (!known.turns.has(turnId)) return await plain.openCalls(turnId, iteration, page);
        known.beginCalls(turnId, iteration, await plain.invocations(turnId, iteration));
      }
      const open = [...(known.openCalls.get(turnId)?.calls.values() ?? [])].sort((a, b) => a.position - b.position);
      const first = (status: OpenCall['status']): OpenCall[] =>
        open.filter((call) => call.status === status).slice(0, page.limit);
      return open.length === 0 ? [] : [...first('started'), ...first('approved'), ...first('asked')];
    },
    async insertInvocation(invocation) {
      await plain.insertInvocation(invocation);
      if (invocation.outcomeUnknown) known.doubtUnknown();
      known.putCall(invocation);
    },
    async changeInvocation(id, from, change) {
      const changed = await plain.changeInvocation(id, from, change);
      if (!changed) return false;
      if (change.outcomeUnknown === true) known.doubtUnknown();
      const before = known.calls.get(id);
      if (before !== undefined) {
        known.putCall({ ...before, ...change });
      } else if (change.settledAt === undefined) {
        const call = await plain.invocation(id);
        if (call !== undefined) known.forgetCalls(call.turnId);
      }
      return true;
    },
  };
}
