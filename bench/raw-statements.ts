import { randomUUID } from 'node:crypto';
import { DatabaseSync } from '@photostructure/sqlite';
import { ANSWER, LOOK_UP } from './script.js';

/** The rows of one turn, written by hand as prepared statements: no mapping, no checks, no reads beyond a number taken. */
export type RawStatements = ReturnType<typeof prepareRaw>;

export const WORLD = 'bench';
export const AGENT_ID = 'ana';

export function newId(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}

// Texts as long as those a turn writes; what is in them makes no difference to the database.
const HASH = 'f'.repeat(64);
const CALL_TEXT = `[{"id":"${newId('call')}","type":"function","function":{"name":"${LOOK_UP}","arguments":"{\\"city\\":\\"Lisbon\\",\\"nights\\":2}"}}]`;
const ASK_TEXT = `[{"id":"${newId('approval')}","type":"function","function":{"name":"client.requestApproval","arguments":"${'x'.repeat(420)}"}}]`;
const ARGUMENTS_TEXT = '{"city":"Lisbon","nights":2}';
const RESULT_TEXT = '{"result":{"city":"Lisbon","degrees":21,"nights":2}}';
const DECISION_TEXT = `{"decision":"approve","scope":"once","digest":"${HASH}","callHash":"${HASH}"}`;
const FROM_TEXT =
  '{"provider":"bench","model":"scripted","usage":{"inputTokens":120,"outputTokens":12},"vendorIds":["call-0"]}';
const TOOL_EVENT_TEXT = 'x'.repeat(300);
const WORLD_EVENT_TEXT = '{"type":"working","pendingOperations":1}';
const AUDIT_TEXT = 'x'.repeat(330);
/** Of one step, in one statement. */
const MOST_ROWS = 8;

const CONTENT = {
  question: 'Look up the weather in Lisbon.',
  calls: '',
  ask: '',
  decision: DECISION_TEXT,
  result: RESULT_TEXT,
  answer: ANSWER,
};
export type RawMessage = keyof typeof CONTENT;
const ROLE = {
  question: 'user',
  calls: 'assistant',
  ask: 'assistant',
  decision: 'tool',
  result: 'tool',
  answer: 'assistant',
};

/** The same pragmas as the store's own connection: `packages/storage/src/sqlite/open-database.ts`. */
export function openRawDatabase(file: string, synchronous: 'FULL' | 'NORMAL') {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, timeout: 0 });
  db.exec('pragma locking_mode = exclusive');
  db.exec('pragma journal_mode = wal');
  db.exec(`pragma synchronous = ${synchronous}`);
  db.exec('pragma cache_size = -32768');
  db.exec('pragma temp_store = memory');
  db.exec('pragma journal_size_limit = 67108864');
  db.exec('pragma wal_autocheckpoint = 4000');
  return db;
}

export function prepareRaw(db: ReturnType<typeof openRawDatabase>) {
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  // One process owns the file, so all numbers are known without asking for them.
  const chats = new Map<string, { lastSeq: number; humanSeq: number; status: string }>();
  const chatOf = (id: string) => {
    const known = chats.get(id) ?? { lastSeq: 0, humanSeq: 0, status: 'idle' };
    chats.set(id, known);
    return known;
  };
  const heads = { event: 0, audit: 0 };
  const placeChat = db.prepare('update chats set last_seq = ?, human_seq = ?, status = ? where id = ?');
  const insertMessage = db.prepare(
    `insert into messages (id, world_id, chat_id, seq, role, sender, speaker, agent_id, turn_id, iteration, reply_to, content,
      tool_calls, tool_call_id, addressees, provider_state, client_message_id, created_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertTurn = db.prepare(
    `insert into turns (id, world_id, chat_id, agent_id, trigger_id, trigger_seq, state, outcome, iteration, epoch, rev, owner,
      interruptions, begun_seq, input_tokens, output_tokens, created_at, ended_at)
      values (?, ?, ?, ?, ?, ?, 'open', null, 0, 1, 1, ?, 0, ?, 0, 0, ?, null) on conflict (id) do nothing`,
  );
  const stepTurn = db.prepare(
    'update turns set rev = rev + 1, iteration = ?, input_tokens = ?, output_tokens = ? where id = ? and epoch = 1 and rev = ?',
  );
  const endTurn = db.prepare(
    `update turns set rev = rev + 1, state = 'ended', iteration = ?, input_tokens = ?, output_tokens = ?, outcome = 'answered',
      owner = null, ended_at = ? where id = ? and epoch = 1 and rev = ?`,
  );
  const keepTurn = db.prepare('update turns set rev = rev + 1 where id = ? and epoch = 1 and rev = ?');
  const moveTurn = db.prepare('update turns set rev = rev + 1, state = ? where id = ? and epoch = 1 and rev = ?');
  const insertInvocation = db.prepare(
    `insert into invocations (id, world_id, chat_id, agent_id, turn_id, iteration, position, message_id, tool_name, arguments,
      edited, call_hash, status, location, read_only, idempotent, approval_id, started_epoch, result, outcome_unknown, created_at,
      started_at, settled_at)
      values (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, 0, ?, ?, 'server', 0, 0, ?, null, null, 0, ?, null, null)`,
  );
  const approveInvocation = db.prepare(
    `update invocations set status = 'approved', arguments = ?, call_hash = ? where id = ? and status = 'asked'`,
  );
  const startInvocation = db.prepare(
    `update invocations set status = 'started', started_epoch = 1, started_at = ? where id = ? and status = 'approved'`,
  );
  const settleInvocation = db.prepare(
    `update invocations set status = 'succeeded', result = ?, outcome_unknown = 0, settled_at = ? where id = ? and status = 'started'`,
  );
  const insertApproval = db.prepare(
    `insert into approvals (id, world_id, chat_id, agent_id, invocation_id, message_id, tool_name, call_hash, message, options, why,
      rule, proposed_rule, working_directory, sandbox, preview, status, decision, scope, reason, decision_digest, decided_by, requested_at, expires_at, decided_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, 'Book a room in Lisbon', '["deny","approve_once","approve_session","approve_always"]',
      'this tool asks before it runs', null, 'allow book_room(city=Lisbon, nights=2)', '/tmp', 'none', null, 'pending', null, null, null, null, null, ?, null, null)`,
  );
  const settleApproval = db.prepare(
    `update approvals set status = 'approved', decision = 'approve', scope = 'once', decision_digest = ?, decided_by = 'human',
      decided_at = ? where id = ? and status = 'pending'`,
  );
  const moveHeads = db.prepare(`update worlds set event_seq = ?, audit_seq = ?, audit_hash = ? where id = '${WORLD}'`);
  const rows = (insert: string, columns: number) =>
    Array.from({ length: MOST_ROWS }, (_, more) => {
      const group = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
      return db.prepare(`${insert} values ${group}${`, ${group}`.repeat(more)}`);
    });
  const insertEvents = rows('insert into events (world_id, id, chat_id, event, message_id, data, at)', 7);
  const insertAudit = rows('insert into audit (world_id, seq, record, previous_hash, hash)', 5);

  return {
    transaction(work: () => void): void {
      begin.run();
      work();
      commit.run();
    },
    message(
      kind: RawMessage,
      { chatId, turnId, replyTo }: { chatId: string; turnId: string | null; replyTo: string | null },
    ): { id: string; seq: number } {
      const id = newId('msg');
      const chat = chatOf(chatId);
      const seq = (chat.lastSeq += 1);
      if (kind === 'question') chat.humanSeq = seq;
      const own = kind !== 'question';
      insertMessage.run(
        id,
        WORLD,
        chatId,
        seq,
        ROLE[kind],
        own ? AGENT_ID : 'human',
        own ? 'agent' : 'human',
        own ? AGENT_ID : null,
        turnId,
        own ? 1 : null,
        replyTo,
        CONTENT[kind],
        kind === 'calls' ? CALL_TEXT : kind === 'ask' ? ASK_TEXT : null,
        kind === 'result' || kind === 'decision' ? newId('call') : null,
        own ? '[]' : '["ana"]',
        kind === 'calls' || kind === 'answer' ? FROM_TEXT : null,
        null,
        Date.now(),
      );
      return { id, seq };
    },
    turn(id: string, chatId: string, trigger: { id: string; seq: number }): void {
      insertTurn.run(id, WORLD, chatId, AGENT_ID, trigger.id, trigger.seq, HASH, trigger.seq, Date.now());
    },
    stepTurn(id: string, rev: number, iteration = 1): void {
      stepTurn.run(iteration, 120, 12, id, rev);
    },
    keepTurn(id: string, rev: number): void {
      keepTurn.run(id, rev);
    },
    moveTurn(id: string, rev: number, state: 'open' | 'waiting'): void {
      moveTurn.run(state, id, rev);
    },
    endTurn(id: string, rev: number): void {
      endTurn.run(2, 240, 24, Date.now(), id, rev);
    },
    status(chatId: string, status: string): void {
      chatOf(chatId).status = status;
    },
    invocation(
      id: string,
      about: { chatId: string; turnId: string; messageId: string; position: number; tool: string },
      approvalId: string | null,
    ): void {
      const { chatId, turnId, messageId, position, tool } = about;
      const hash = approvalId === null ? null : HASH;
      const status = approvalId === null ? 'started' : 'asked';
      insertInvocation.run(
        id,
        WORLD,
        chatId,
        AGENT_ID,
        turnId,
        position,
        messageId,
        tool,
        ARGUMENTS_TEXT,
        hash,
        status,
        approvalId,
        Date.now(),
      );
    },
    start(id: string): void {
      startInvocation.run(Date.now(), id);
    },
    settle(id: string): void {
      settleInvocation.run(RESULT_TEXT, Date.now(), id);
    },
    approval(id: string, about: { chatId: string; invocationId: string; messageId: string; tool: string }): void {
      const { chatId, invocationId, messageId, tool } = about;
      insertApproval.run(id, WORLD, chatId, AGENT_ID, invocationId, messageId, tool, HASH, Date.now());
    },
    approve(id: string, invocationId: string): void {
      settleApproval.run(HASH, Date.now(), id);
      approveInvocation.run(ARGUMENTS_TEXT, HASH, invocationId);
    },
    /** The end of every step: its chat, its events under their numbers, its audit records, both heads. */
    finish(chatId: string, events: readonly ('world' | 'tool' | { messageId: string })[], audits: number): void {
      const now = Date.now();
      const { lastSeq, humanSeq, status } = chatOf(chatId);
      placeChat.run(lastSeq, humanSeq, status, chatId);
      const values: (string | number | null)[] = [];
      for (const event of events) {
        const id = (heads.event += 1);
        if (typeof event === 'object') values.push(WORLD, id, chatId, 'message', event.messageId, null, now);
        else values.push(WORLD, id, chatId, event, null, event === 'tool' ? TOOL_EVENT_TEXT : WORLD_EVENT_TEXT, now);
      }
      const records: (string | number)[] = [];
      for (let i = 1; i <= audits; i += 1) records.push(WORLD, (heads.audit += 1), AUDIT_TEXT, HASH, HASH);
      moveHeads.run(heads.event, heads.audit, HASH);
      insertEvents[events.length - 1]?.run(...values);
      if (audits > 0) insertAudit[audits - 1]?.run(...records);
    },
  };
}
