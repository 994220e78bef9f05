import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@countersign/core/ports';
import {
  approval,
  C,
  chat,
  grant,
  HOSTILE,
  invocation,
  message,
  plant,
  step,
  turn,
} from '@countersign/core/testing/step-contract';
import { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { scaled } from '../../../../../tests/support/scaled.js';
import { openSqlite } from '../open.js';

/** Values that break types, JSON, SQLite's strict columns or our parsing. */
const HOSTILE_VALUES: readonly unknown[] = [
  Infinity,
  -Infinity,
  Number.NaN,
  -0,
  1.5,
  1e300,
  2 ** 53,
  2 ** 63,
  -(2 ** 62),
  null,
  undefined,
  true,
  7,
  '',
  '12',
  HOSTILE,
  '\ud800',
  {},
  new Date(0),
  10n,
  () => 1,
];
/** For columns that are stored as JSON. */
const HOSTILE_PARTS: readonly unknown[] = [
  ...HOSTILE_VALUES,
  { ['__proto__']: 1, 2: 'b', 1: 'a', text: HOSTILE },
  { toJSON: () => undefined },
  { toJSON: () => Number.NaN },
  [undefined, Infinity],
];
const JSON_FIELDS: Readonly<Record<string, (part: unknown) => unknown>> = {
  toolCalls: (part) => [{ id: part }],
  addressees: (part) => [part],
  secrets: (part) => [part],
  providerState: (state) => ({ provider: 'p', state }),
  options: (part) => [part],
  sandbox: (part) => ({ kind: 'none', part }),
  preview: (text) => ({ text, truncated: true }),
  question: (text) => ({ text }),
  rehearsal: (text) => ({ noEffect: { reason: text } }),
};

const RECORDS = {
  message: () => message(''),
  turn: () => turn(''),
  call: () => invocation(''),
  approval: () => approval(''),
  chat: () => chat(''),
  grant: () => grant(''),
};
const made = fc.constantFrom(...(['message', 'turn', 'call', 'approval', 'chat', 'grant'] as const)).chain((kind) => {
  const fields = Object.keys(RECORDS[kind]()).filter((field) => field !== 'id' && field !== 'chatId');
  return fc.constantFrom(...fields).chain((field) => anyValueOf(kind, field));
});
const changed = fc.record({
  kind: fc.constantFrom('turn-change', 'call-change', 'verdict', 'chat-change', 'event', 'use'),
  field: fc.constantFrom('state', 'owner', 'inputTokens', 'status', 'result', 'arguments', 'reason', 'title', 'titled'),
  value: anyValue(),
});

it(
  '[STORE1] [STORE3] [STORE7] every accepted step can be folded, and recovery after a kill gives the same state',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(made, changed), { minLength: 1, maxLength: 40 }), async (plays) => {
        const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
        const file = join(folder, 'store.db');
        const store = await openSqlite(file, { synchronous: 'NORMAL' });
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
        await plant(store);
        await step(store, (tx) => {
          tx.insertTurn(turn('turn_1'));
          tx.insertInvocation(invocation('call_1'));
          tx.giveGrant(grant('grant_1'), '');
        });
        for (const [at, play] of plays.entries()) await act(store, play, at).catch(() => undefined);
        const killed = join(folder, 'killed.db');
        for (const end of ['', '-wal', '-steps']) if (existsSync(file + end)) copyFileSync(file + end, killed + end);
        await store.close();
        await (await openSqlite(killed)).close();
        expect(dump(killed)).toEqual(dump(file));
        // All data can be loaded again.
        const next = await openSqlite(file, { synchronous: 'NORMAL' });
        expect(await step(next, (tx) => tx.unfinishedTurns(C).length)).toBeGreaterThan(0);
        expect(await next.read((r) => r.messages(C, { after: 0, limit: 99 }))).toBeDefined();
        await next.close();
        rmSync(folder, { recursive: true });
      }),
      { numRuns: scaled(30, 6) },
    );
  },
);

function anyValue(): fc.Arbitrary<unknown> {
  return fc.constantFrom(...HOSTILE_VALUES);
}

function anyValueOf(kind: string, field: string): fc.Arbitrary<{ kind: string; field: string; value: unknown }> {
  const whole = JSON_FIELDS[field];
  const value = whole === undefined ? anyValue() : fc.constantFrom(...HOSTILE_PARTS).map(whole);
  return value.map((given) => ({ kind, field, value: given }));
}

function act(store: Store, { kind, field, value }: { kind: string; field: string; value: unknown }, at: number) {
  const hostile: object = { [field]: value };
  return step(store, (tx) => {
    switch (kind) {
      case 'message':
        tx.appendMessage(message(`msg_${at}`, hostile));
        return;
      case 'turn':
        tx.insertTurn(turn(`turn_new_${at}`, { state: 'queued', ...hostile }));
        return;
      case 'call':
        tx.insertInvocation(invocation(`call_new_${at}`, hostile));
        return;
      case 'approval':
        tx.insertApproval(approval(`approval_${at}`, hostile));
        return;
      case 'chat':
        tx.createChat(chat(`chat_new_${at}`, hostile));
        return;
      case 'grant':
        tx.giveGrant(grant(`grant_new_${at}`, hostile), '');
        return;
      case 'turn-change': {
        const one = tx.currentTurn(C, 'ann');
        if (one !== undefined) tx.stepTurn(one, { ...hostile, state: 'open' });
        return;
      }
      case 'call-change': {
        const status = tx.invocation('call_1')?.status;
        if (status !== undefined) tx.changeInvocation('call_1', status, { status, ...hostile });
        return;
      }
      case 'verdict': {
        const [first] = tx.pendingApprovals(C);
        const verdict = {
          decision: 'deny',
          scope: 'once',
          reason: null,
          decisionDigest: null,
          decidedBy: null,
        } as const;
        if (first !== undefined) tx.settleApproval(first.id, { status: 'denied', ...verdict, ...hostile });
        return;
      }
      case 'chat-change':
        tx.changeChat(C, hostile);
        return;
      case 'use':
        tx.useGrant(C, 'grant_1');
        return;
      default:
        tx.emit({ event: 'crud', chatId: null, data: value as never });
    }
  });
}

/** All rows except those of the process that opened it. */
function dump(file: string): Record<string, unknown[]> {
  const db = new DatabaseSync(file, { readOnly: true });
  const names = ['chats', 'messages', 'turns', 'invocations', 'approvals', 'grants', 'events', 'audit', 'worlds'];
  try {
    return Object.fromEntries(names.map((name) => [name, db.prepare(`select * from ${name} order by 1, 2`).all()]));
  } finally {
    db.close();
  }
}
