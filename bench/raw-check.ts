import { join } from 'node:path';
import { openRawLoop } from './raw-loop.js';
import type { Case } from './script.js';
import { traceTurn } from './trace.js';

/** Which fact makes a row of which table. */
const ROWS = {
  messages: /^message-written$/,
  turns: /^turn-queued$/,
  invocations: /^call-proposed$/,
  approvals: /^approval-requested$/,
  events: /^emit /,
  audit: /^record$/,
};
type Rows = Record<keyof typeof ROWS | 'transactions', number>;
const TABLES = Object.keys(ROWS) as (keyof typeof ROWS)[];

/** Refuses to measure against a raw loop that no longer writes what a turn writes: the ratio would mean nothing. */
export async function checkRawLoop(folder: string, turn: Case): Promise<void> {
  const ours = await rowsOfOurs(turn);
  const raw = await rowsOfRaw(join(folder, `check-${turn.replaceAll(' ', '-')}.sqlite`), turn);
  const same = (Object.keys(ours) as (keyof Rows)[]).every((what) => ours[what] === raw[what]);
  if (!same) {
    throw new Error(
      `raw-loop.ts is out of date: a turn "${turn}" writes ${JSON.stringify(ours)}, the raw loop ${JSON.stringify(raw)}`,
    );
  }
}

async function rowsOfOurs(turn: Case): Promise<Rows> {
  const transactions = await traceTurn(turn);
  const writes = transactions.flatMap((transaction) => transaction.writes);
  const rows = TABLES.map((table) => [table, writes.filter((write) => ROWS[table].test(write)).length]);
  return { ...(Object.fromEntries(rows) as Rows), transactions: transactions.length };
}

async function rowsOfRaw(file: string, turn: Case): Promise<Rows> {
  const loop = await openRawLoop(file, 'NORMAL');
  const { before, run, transactions } = loop.turns[turn];
  before?.();
  const first = TABLES.map((table) => loop.count(table));
  run();
  const rows = TABLES.map((table, index) => [table, loop.count(table) - (first[index] ?? 0)]);
  loop.close();
  return { ...(Object.fromEntries(rows) as Rows), transactions };
}
