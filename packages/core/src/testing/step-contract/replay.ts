import { expect } from 'vitest';
import type { RowTransaction } from '../row-transaction.js';
import type { AuditVerdict, CallStatus, StepNeeds, Store, TurnRecord } from '../../ports/index.js';
import { A, addChats, approval, B, C, grant, invocation, message, plant, turn, W } from '../store-contract/samples.js';
import { callKeys, stateOf, step } from './support.js';

/** One random action of a step: its kind, and the chat, agent, turn or call that it affects. */
export type Play = readonly [what: number, which: number, how: number];

const CHATS = [C, 'chat_2'] as const;
const AGENTS = [A, B] as const;
const STATUSES: readonly CallStatus[] = ['approved', 'started', 'succeeded', 'failed', 'denied'];
const NEEDS: StepNeeds = { chats: CHATS, calls: CHATS.map((id) => callKeys('{}', ['', ''], id)), pendingOf: A };

/**
 * Runs steps (some throw at the end). After each, compares the in-memory state with that of a store newly opened on the same data. The store
 * must be empty. Returns the result of verifying the audit log.
 */
export async function checkReplay(
  store: Store,
  fresh: () => Promise<Store>,
  steps: readonly { plays: readonly Play[]; fails: boolean }[],
): Promise<AuditVerdict> {
  await plant(store);
  await addChats(store, 'chat_2');
  let count = 0;
  for (const { plays, fails } of steps) {
    const played = step(
      store,
      (tx) => {
        for (const play of plays) act(tx, play, (count += 1));
        if (fails) throw new Error('on purpose');
      },
      NEEDS,
    );
    if (fails) await expect(played).rejects.toThrow('on purpose');
    else await played;
    expect(await look(store)).toStrictEqual(await look(await fresh()));
  }
  return await store.verifyAudit(W);
}

/** Everything that a step can read, from memory if it is cached. */
async function look(store: Store) {
  const states = await Promise.all(CHATS.map((id) => stateOf(store, id, { isReadOnly: true, recent: true })));
  const { value } = await store.step(W, NEEDS, (reads) => ({
    value: {
      rev: reads.worldRev,
      working: reads.working(),
      pending: reads.pendingOf(A),
      grants: NEEDS.calls?.map((call) => reads.grants(call)),
      unknown: NEEDS.calls?.map((call) => reads.outcomeUnknown(call)),
    },
    writes: { changes: [], emissions: [], records: [], wakes: [] },
  }));
  return { ...value, states, order: states.map((state) => [...(state?.approvals.keys() ?? [])]) };
}

function act(tx: RowTransaction, [what, which, how]: Play, at: number): void {
  const chatId = pick(CHATS, which);
  const agentId = pick(AGENTS, how);
  const chat = tx.chat(chatId);
  if (chat === undefined) return;
  const turns = tx.unfinishedTurns(chatId);
  const one = turns.length === 0 ? undefined : pick(turns, how);
  switch (what % 13) {
    case 0:
      tx.emit({ event: 'message', chatId, message: tx.appendMessage(message(`msg_${at}`, { chatId })) });
      return;
    case 1:
      tx.appendMessage(message(`msg_${at}`, { chatId, speaker: 'agent' }));
      tx.record({ kind: 'run' });
      return;
    case 2:
      tx.changeChat(chatId, how % 2 === 0 ? { status: 'working' } : { title: `title ${at}`, titled: true });
      return;
    case 3: {
      const begins = tx.currentTurn(chatId, agentId) === undefined;
      const opened = begins ? ({ state: 'open', begunSeq: chat.lastSeq } as const) : ({ state: 'queued' } as const);
      tx.insertTurn(turn(`turn_${at}`, { chatId, agentId, triggerSeq: chat.lastSeq, createdAt: at, ...opened }));
      return;
    }
    case 4:
      if (one !== undefined) end(tx, one, how);
      return;
    case 5:
      if (one !== undefined && how % 2 === 0) {
        settleCalls(tx, one);
        tx.stepTurn(one, { iteration: one.iteration + 1 });
      } else if (one !== undefined) tx.stepTurn(one, { owner: 'me' });
      return;
    case 6:
      if (one !== undefined && one.state !== 'queued') {
        tx.fenceTurn(one.id, { state: how % 2 === 0 ? 'waiting' : 'open', inputTokens: at });
      }
      return;
    case 7:
      if (one !== undefined) tx.insertInvocation(callOf(one, at));
      return;
    case 8:
      if (one !== undefined) changeCall(tx, one, which, how);
      return;
    case 9:
      tx.insertApproval(approval(`approval_${at}`, { chatId, agentId }));
      return;
    case 10:
      settle(tx, chatId, how);
      return;
    case 11:
      if (how % 2 === 0) tx.giveGrant(grant(`grant_${at}`, { chatId, agentId }), '');
      else tx.setPolicy([`allow tool_${at}`]);
      return;
    case 12:
      tx.acceptOutcome({ chatId, toolName: invocation('any').toolName, arguments: '{}' });
      return;
  }
}

/** Runs before or after the end of the turn, always in the same step. */
function settleCalls(tx: RowTransaction, one: TurnRecord): void {
  for (const { id, status } of tx.openCalls(one)) {
    tx.changeInvocation(id, status, { status: 'failed', settledAt: tx.now(), result: 'stopped' });
  }
}

function end(tx: RowTransaction, one: TurnRecord, how: number): void {
  tx.stepTurn(one, { state: 'ended', outcome: how % 3 === 0 ? 'answered' : 'stopped', endedAt: tx.now() });
  settleCalls(tx, one);
  const next = tx.nextQueuedTurn(one.chatId, one.agentId);
  if (next === undefined || tx.currentTurn(one.chatId, one.agentId) !== undefined) return;
  const begunSeq = tx.chat(one.chatId)?.lastSeq ?? 0;
  if (how % 2 === 0) tx.stepTurn(next, { state: 'open', begunSeq });
  else tx.stepTurn(next, { state: 'ended', outcome: 'silent', begunSeq, endedAt: tx.now() });
}

function callOf({ id: turnId, chatId, agentId, iteration }: TurnRecord, at: number) {
  return invocation(`call_${at}`, { chatId, turnId, agentId, iteration, position: at, arguments: '{}' });
}

function changeCall(tx: RowTransaction, of: TurnRecord, which: number, how: number): void {
  const calls = tx.openCalls(of);
  const call = calls.length === 0 ? undefined : pick(calls, which);
  if (call === undefined) return;
  const status = pick(STATUSES, how);
  const settles = status !== 'approved' && status !== 'started';
  const settled = settles ? { settledAt: tx.now(), result: 'done', outcomeUnknown: which % 2 === 0 } : {};
  tx.changeInvocation(call.id, call.status, { status, ...settled });
}

function settle(tx: RowTransaction, chatId: string, how: number): void {
  const pending = tx.pendingApprovals(chatId);
  if (pending.length === 0) return;
  const verdict = { decision: 'deny', scope: 'once', reason: null, decisionDigest: null, decidedBy: null } as const;
  tx.settleApproval(pick(pending, how).id, { status: 'denied', ...verdict });
}

function pick<T>(from: readonly T[], index: number): T {
  const one = from[index % from.length];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}
