import { expect, it } from 'vitest';
import type { Statement } from '../queries/prepared.js';
import { startedSince } from './step/load.js';
import { openDatabase } from './file/open-database.js';
import { sqliteStatements } from './statements.js';

/** Reads of the whole store, or of the few rows of a partial index. */
const mayScan: Readonly<Record<string, RegExp>> = {
  worlds: /^SCAN worlds$/,
  // Runs once, when a store is opened.
  auditHeads: /^SCAN worlds$/,
  unfinishedTurns: /^SCAN turns USING INDEX turns_unfinished$/,
  expiring: /^SCAN approvals USING INDEX approvals_in_order$/,
  countPending: /^SCAN approvals USING COVERING INDEX approvals_in_order$/,
  pendingEverywhere: /^SCAN approvals USING INDEX approvals_in_order$/,
  queueMarks: /^SCAN approvals USING INDEX approvals_in_order$/,
  // A subquery that is already limited.
  countPendingOf: /^SCAN counted$/,
  // Clients that are or were recently connected.
  allClients: /^SCAN clients$/,
  // A handful of rows, read when they change.
  providers: /^SCAN providers$/,
  webhooks: /^SCAN webhooks$/,
  // Only when the first one is added.
  startWebhookCursors: /^SCAN worlds$/,
  people: /^SCAN people$/,
  groups: /^SCAN people_groups$/,
  // Only when someone signs in. It keeps the table short.
  forgetCredentials: /^SCAN credentials$/,
  // Only when someone registers or confirms a passkey, or writes a rule that needs one.
  passkeys: /^SCAN c$/,
  subscriptions: /^SCAN c$/,
  // Only when a rule says who must sign.
  delegations: /^SCAN credentials$/,
  // The ids that the caller passes.
  credentialsById: /^SCAN json_each VIRTUAL TABLE INDEX 1:$/,
  // Found by words or rowid: virtual tables always report SCAN.
  search: /^SCAN search_words VIRTUAL TABLE INDEX \d+:\S/,
  searchWords: /^SCAN search_words VIRTUAL TABLE INDEX \d+:=/,
};

it('[STORE2] no statement scans a table: the cost of a step doesn’t grow with the store', () => {
  const db = openDatabase(':memory:', 'NORMAL');
  const { purge, matchText: _, ...statements } = sqliteStatements;
  const named: [string, Statement<never, unknown>][] = Object.entries({ ...statements, ...purge.chat, ...purge.world });
  const scans = named.flatMap(([name, { sql }]) => {
    const plan = db.prepare(`explain query plan ${sql}`).all() as { detail: string }[];
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => detail.startsWith('SCAN') && detail !== 'SCAN CONSTANT ROW')
      .filter((detail) => mayScan[name]?.test(detail) !== true)
      .map((detail) => `${name}: ${detail}`);
  });
  expect(scans).toEqual([]);
  expect(named.length).toBeGreaterThan(60);
  db.close();
});

it('[WORLD6] counts started turns per agent without reading every turn of the chat', () => {
  const db = openDatabase(':memory:', 'NORMAL');
  const plan = db.prepare(`explain query plan ${startedSince.sql}`).all() as { detail: string }[];
  const turns = plan.map(({ detail }) => detail).filter((detail) => detail.includes('turns'));
  expect(turns).toEqual([
    'SEARCH turns USING COVERING INDEX turns_by_trigger (chat_id=?)',
    'SEARCH turns USING COVERING INDEX turns_by_trigger (chat_id=? AND agent_id>?)',
    'SEARCH turns USING INDEX turns_by_trigger (chat_id=? AND agent_id=? AND trigger_seq>?)',
  ]);
  db.close();
});

it.each([
  ['chatsAfter', 'chats_of_world (world_id=? AND rowid>?)'],
  ['lastChats', 'chats_of_world (world_id=? AND rowid<?)'],
  ['unfinishedTurnsOfChat', 'turns_unfinished'],
  ['countWorking', 'turns_unfinished'],
  ['endedTurns', 'turns_by_trigger'],
  ['outcomeUnknown', 'invocations_unknown'],
  ['invocations', 'invocations_of_turn'],
  ['pendingOfWorld', 'approvals_in_order (world_id=?)'],
  ['pendingAfter', 'approvals_in_order (world_id=? AND ordinal>?)'],
  ['pendingOfChatAfter', 'approvals_pending (world_id=? AND chat_id=?'],
  ['countPendingOf', 'COVERING INDEX approvals_in_order (world_id=? AND ordinal<?)'],
  ['grants', 'grants_for_call'],
  ['eventsOfChat', 'events_of_chat'],
  ['messageByClientId', 'messages_by_client_id'],
  ['messagesOfTurn', 'messages_of_turn'],
] as const)('[STORE2] %s uses %s', (name, index) => {
  const db = openDatabase(':memory:', 'NORMAL');
  const plan = db.prepare(`explain query plan ${sqliteStatements[name].sql}`).all() as { detail: string }[];
  expect(plan.map(({ detail }) => detail).join('\n')).toContain(index);
  db.close();
});

it('[LIMIT1] no statement is planned again for a different limit', () => {
  const { purge: _, matchText: __, ...statements } = sqliteStatements;
  const limited = Object.entries(statements).filter(([, { sql }]) => sql.includes('limit ?'));
  expect(limited.map(([name]) => name)).toContain('endedTurns');
  expect(limited.filter(([, { sql }]) => /limit \?(?! \+ 0)/.test(sql)).map(([name]) => name)).toEqual([]);
});
