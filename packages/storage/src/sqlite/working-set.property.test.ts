import type { InvocationStatus, StoreReader, TurnRecord } from '@countersign/core/ports';
import { worldSettingsSchema } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { verbsOn, type Verbs } from '../engine.js';
import { sqliteConnection } from './connection.js';
import { openDatabase } from './open-database.js';
import { sqliteStatements } from './statements.js';
import { withWorkingSet } from './with-working-set.js';

/** Each run opens a store of its own; on a busy machine that takes a while. */
const LIMIT_MS = 120_000;
const WORLD = 'w';
const CHATS = ['chat_1', 'chat_2'] as const;
const AGENTS = ['a', 'b'] as const;
const TURNS = ['turn_1', 'turn_2', 'turn_3', 'turn_4'] as const;
const CALLS = ['call_1', 'call_2', 'call_3'] as const;

const chat = fc.constantFrom(...CHATS);
const turn = fc.constantFrom(...TURNS);
const call = fc.constantFrom(...CALLS);
const status = fc.constantFrom<InvocationStatus>('asked', 'approved', 'started', 'succeeded', 'failed');

type Op = (tx: Verbs['tx'], at: number) => Promise<unknown>;

const op: fc.Arbitrary<Op> = fc.oneof(
  fc.tuple(chat, fc.boolean()).map(
    ([chatId, isHuman]): Op =>
      (tx, at) =>
        tx.appendMessage(messageIn(chatId, isHuman, at)),
  ),
  fc.tuple(chat, fc.constantFrom('idle' as const, 'working' as const)).map(
    ([id, to]): Op =>
      (tx) =>
        tx.setChatStatus(id, to),
  ),
  fc.tuple(chat).map(
    ([id]): Op =>
      (tx) =>
        tx.setChatTitle(id, 'titled'),
  ),
  fc
    .tuple(turn, chat, fc.constantFrom(...AGENTS), fc.constantFrom('open' as const, 'queued' as const))
    .map(([id, chatId, agentId, state]): Op => async (tx, at) => {
      const busy = await tx.currentTurn(chatId, agentId);
      await tx.insertTurn(turnOf(id, chatId, agentId, busy === undefined ? state : 'queued', at));
    }),
  fc
    .tuple(turn, fc.constantFrom('ended' as const, 'iteration' as const, 'owner' as const, 'stale' as const))
    .map(([id, what]): Op => async (tx) => {
      const found = await tx.turn(id);
      if (found === undefined) return;
      const change = {
        ended: { state: 'ended' as const, endedAt: 9 },
        iteration: { iteration: found.iteration + 1 },
        owner: { owner: 'somebody' },
        stale: {},
      }[what];
      await tx.stepTurn(what === 'stale' ? { ...found, rev: found.rev + 7 } : found, change);
    }),
  turn.map(
    (id): Op =>
      (tx) =>
        tx.fenceTurn(id, { owner: 'another' }),
  ),
  turn.map((id): Op => async (tx) => {
    const found = await tx.turn(id);
    if (found !== undefined) await tx.claimTurn(found, { owner: 'third', interruptions: 1 });
  }),
  fc.tuple(call, turn, status).map(([id, turnId, to]): Op => async (tx) => {
    const of = await tx.turn(turnId);
    if (of === undefined || (await tx.invocation(id)) !== undefined) return;
    await tx.insertInvocation(callOf(id, of, to));
  }),
  fc.tuple(call, status, fc.boolean()).map(([id, to, isUnknown]): Op => async (tx) => {
    const found = await tx.invocation(id);
    if (found === undefined || found.settledAt !== null) return;
    const ends = to === 'succeeded' || to === 'failed';
    const settled = ends ? { settledAt: 5, outcomeUnknown: isUnknown } : {};
    await tx.changeInvocation(id, found.status, { status: to, ...settled });
  }),
  fc.tuple(chat, fc.boolean()).map(([chatId, isLate]): Op => async (tx, at) => {
    const gone = { ...turnOf('turn_9', chatId, 'b', 'open', at), iteration: at };
    const unknown = { ...callOf(`call_x${at}`, gone, 'failed'), outcomeUnknown: true };
    if (!isLate) return await tx.insertInvocation(unknown);
    await tx.insertInvocation({ ...unknown, outcomeUnknown: false, status: 'started', settledAt: null });
    const end = { status: 'failed', settledAt: 4, outcomeUnknown: true } as const;
    return await tx.changeInvocation(unknown.id, 'started', end);
  }),
  chat.map(
    (id): Op =>
      (tx) =>
        tx.clearOutcomeUnknown(id, 'tool', '{}'),
  ),
  chat.map(
    (chatId): Op =>
      (tx, at) =>
        tx.insertGrant(grantIn(chatId, at), ''),
  ),
  fc.constant<Op>((tx) => tx.updateWorld(WORLD, { name: 'other' })),
  fc.constant<Op>(async (tx) => tx.emit({ event: 'system', chatId: null, data: { type: 'notice', message: 'said' } })),
  fc.constant<Op>(async (tx) => tx.record({ kind: 'run', tool: 'tool' })),
  fc.constant<Op>((tx) => tx.clearIndexes(WORLD)),
  fc.constant<Op>(async (tx) => void (await tx.chats(WORLD))),
);
const step = fc.record({ ops: fc.array(op, { minLength: 1, maxLength: 5 }), keep: fc.boolean() });

it(
  '[N1] [S1] what is known of rows is what the rows are, after every step that was kept and every one that was not',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const db = openDatabase(':memory:', 'NORMAL');
        const connection = sqliteConnection(db, 'store.db');
        const plain = verbsOn(connection, sqliteStatements);
        const knowing = withWorkingSet(connection, sqliteStatements, plain);
        connection.start();
        await plain.tx.insertWorld({ id: WORLD, name: 'W', settings: worldSettingsSchema.parse({}), policy: [] });
        for (const id of CHATS) await knowing.tx.insertChat({ id, worldId: WORLD, title: 'New chat' });
        let at = 0;
        for (const { ops, keep } of steps) {
          db.exec('begin immediate');
          plain.session.emissions = [];
          plain.session.records = [];
          for (const act of ops) await act(knowing.tx, (at += 1));
          await knowing.finish(WORLD);
          if (keep) {
            db.exec('commit');
            knowing.kept();
          } else {
            db.exec('rollback');
            knowing.forget();
          }
          expect(await look(knowing.tx)).toEqual(await look(plain.tx));
        }
        db.close();
      }),
      { numRuns: scaled(100) },
    );
  },
  LIMIT_MS,
);

/** All that is answered from what is known. */
async function look(reader: StoreReader) {
  const turns = await Promise.all(TURNS.map((id) => reader.turn(id)));
  const open = turns.map(async (found) =>
    found === undefined || found.state === 'ended'
      ? []
      : (await reader.openCalls(found.id, found.iteration, { limit: 2 })).map(({ id, status: now, startedEpoch }) => ({
          id,
          now,
          startedEpoch,
        })),
  );
  return {
    rev: await reader.worldRev(WORLD),
    working: await reader.countWorking(WORLD),
    lastEvent: await reader.lastEventId(WORLD),
    turns,
    open: await Promise.all(open),
    calls: await Promise.all(CALLS.map((id) => reader.invocation(id))),
    chats: await Promise.all(
      CHATS.map(async (id) => ({
        chat: await reader.chat(id),
        unfinished: await reader.countUnfinished(id),
        unknown: await reader.outcomeUnknown(id, 'tool', '{}'),
        grants: await reader.grants(id, 'a', 'tool', -1, ['', '']),
        current: await Promise.all(AGENTS.map((agent) => reader.currentTurn(id, agent))),
        next: await Promise.all(AGENTS.map((agent) => reader.nextQueuedTurn(id, agent))),
      })),
    ),
  };
}

function messageIn(chatId: string, isHuman: boolean, at: number) {
  const speaker = isHuman ? ('human' as const) : ('agent' as const);
  const none = { agentId: null, turnId: null, iteration: null, replyTo: null, toolCalls: null, toolCallId: null };
  return {
    ...none,
    id: `msg_${at}`,
    worldId: WORLD,
    chatId,
    role: 'user' as const,
    sender: speaker,
    speaker,
    content: 'words',
    addressees: [],
    providerState: null,
    clientMessageId: null,
    secrets: [],
  };
}

function turnOf(id: string, chatId: string, agentId: string, state: 'open' | 'queued', at: number): TurnRecord {
  return {
    id,
    worldId: WORLD,
    chatId,
    agentId,
    triggerId: `msg_${at}`,
    triggerSeq: at,
    state,
    outcome: null,
    iteration: 0,
    epoch: 1,
    rev: 1,
    owner: null,
    interruptions: 0,
    begunSeq: null,
    inputTokens: 0,
    outputTokens: 0,
    createdAt: 1,
    endedAt: null,
  };
}

function callOf(id: string, of: TurnRecord, to: InvocationStatus) {
  return {
    id,
    worldId: WORLD,
    chatId: of.chatId,
    agentId: of.agentId,
    turnId: of.id,
    iteration: of.iteration,
    position: Number(id.slice(-1)),
    messageId: 'msg_0',
    toolName: 'tool',
    arguments: '{}',
    edited: false,
    callHash: null,
    status: to,
    location: 'server' as const,
    readOnly: false,
    idempotent: false,
    approvalId: null,
    startedEpoch: null,
    result: null,
    outcomeUnknown: false,
    createdAt: 1,
    startedAt: null,
    settledAt: to === 'succeeded' || to === 'failed' ? 3 : null,
  };
}

function grantIn(chatId: string, at: number) {
  return {
    id: `grant_${at}`,
    worldId: WORLD,
    chatId,
    agentId: 'a',
    toolName: 'tool',
    pattern: null,
    answeredRule: null,
    grantedBy: 'human',
    grantedAt: 1,
    lastUsedAt: 1,
    revokedAt: null,
  };
}
