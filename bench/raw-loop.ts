import { openSqlite } from '@countersign/storage';
import { worldSettingsSchema } from '@countersign/protocol';
import type { Subject } from './measure.js';
import { AGENT_ID, newId, openRawDatabase, prepareRaw, WORLD, type RawStatements } from './raw-statements.js';
import { BOOK, LOOK_UP, type Case } from './script.js';

/**
 * The bare commits of a turn: the same transactions with the same inserts and updates, and nothing else. What a turn costs beyond
 * this is ours.
 *
 * To find them again after the runtime has changed: `npm run bench -- --trace` lists what each step of a turn writes;
 * the rows behind those facts are in `packages/storage/src/sqlite/fact-writer.ts`. `raw-check.ts` compares the rows
 * of a turn with those of this loop before anything is measured, and refuses when they differ.
 */
export interface RawLoop {
  newChat(): void;
  turns: Readonly<Record<Case, { before?: () => void; run: () => void; transactions: number }>>;
  /** Rows of each table, for whoever compares them with those of a real turn. */
  count(table: string): number;
  close(): void;
}

export async function openRawLoop(file: string, synchronous: 'FULL' | 'NORMAL'): Promise<RawLoop> {
  await createFile(file);
  const db = openRawDatabase(file, synchronous);
  const write = prepareRaw(db);
  const insertChat = db.prepare(
    `insert into chats (id, world_id, title, titled, status, last_seq, human_seq, created_at) values (?, ?, 'New chat', 1, 'idle', 0, 0, ?)`,
  );
  let chatId = '';
  let waiting: WaitingTurn | undefined;

  const loop: RawLoop = {
    newChat() {
      chatId = newId('chat');
      insertChat.run(chatId, WORLD, Date.now());
    },
    turns: {
      text: { run: () => textTurn(write, chatId), transactions: 2 },
      'one tool': { run: () => toolTurn(write, chatId), transactions: 4 },
      'three gated tools': {
        before: () => {
          waiting = askThree(write, chatId);
        },
        run: () => {
          if (waiting !== undefined) finishThree(write, waiting);
        },
        transactions: 10,
      },
    },
    count: (table) => (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count,
    close() {
      db.exec('pragma journal_mode = delete');
      db.close();
    },
  };
  loop.newChat();
  return loop;
}

/** The schema is the store's own. */
async function createFile(file: string): Promise<void> {
  const store = await openSqlite(file, { synchronous: 'NORMAL' });
  await store.transact(WORLD, async (tx) => {
    await tx.insertWorld({ id: WORLD, name: WORLD, settings: worldSettingsSchema.parse({}), policy: [] });
  });
  await store.close();
}

interface RawTurn {
  chatId: string;
  turnId: string;
  questionId: string;
}

/** publish-message */
function ask(write: RawStatements, chatId: string): RawTurn {
  const turnId = `${newId('turn')}.${AGENT_ID}`;
  let questionId = '';
  write.transaction(() => {
    const question = write.message('question', { chatId, turnId: null, replyTo: null });
    questionId = question.id;
    write.turn(turnId, chatId, question);
    write.status(chatId, 'working');
    write.finish(chatId, [{ messageId: question.id }, 'world'], 0);
  });
  return { chatId, turnId, questionId };
}

/** text-response */
function answer(write: RawStatements, { chatId, turnId, questionId }: RawTurn, rev: number): void {
  write.transaction(() => {
    write.endTurn(turnId, rev);
    const { id } = write.message('answer', { chatId, turnId, replyTo: questionId });
    write.status(chatId, 'idle');
    write.finish(chatId, [{ messageId: id }, 'world'], 0);
  });
}

/** settle-invocation; the chat waits again while other calls are asked */
function settle(
  write: RawStatements,
  { chatId, turnId, questionId }: RawTurn,
  rev: number,
  callId: string,
  waits = false,
): void {
  write.transaction(() => {
    if (waits) write.moveTurn(turnId, rev, 'waiting');
    else write.keepTurn(turnId, rev);
    write.settle(callId);
    const { id } = write.message('result', { chatId, turnId, replyTo: questionId });
    if (waits) write.status(chatId, 'waiting');
    write.finish(chatId, waits ? [{ messageId: id }, 'tool', 'world'] : [{ messageId: id }, 'tool'], 1);
  });
}

function textTurn(write: RawStatements, chatId: string): void {
  answer(write, ask(write, chatId), 1);
}

function toolTurn(write: RawStatements, chatId: string): void {
  const turn = ask(write, chatId);
  const callId = newId('call');
  // tool-calls, which starts what needs no question
  write.transaction(() => {
    write.stepTurn(turn.turnId, 1);
    const { id } = write.message('calls', { chatId, turnId: turn.turnId, replyTo: turn.questionId });
    write.invocation(callId, { chatId, turnId: turn.turnId, messageId: id, position: 0, tool: LOOK_UP }, null);
    write.finish(chatId, [{ messageId: id }, 'tool'], 1);
  });
  settle(write, turn, 2, callId);
  answer(write, turn, 3);
}

interface WaitingTurn extends RawTurn {
  calls: readonly { callId: string; approvalId: string; askedIn: string }[];
}

/** Up to the pause: the question, then three calls and three approvals in one transaction. */
function askThree(write: RawStatements, chatId: string): WaitingTurn {
  const turn = ask(write, chatId);
  const { turnId } = turn;
  const calls: { callId: string; approvalId: string; askedIn: string }[] = [];
  write.transaction(() => {
    write.moveTurn(turnId, 1, 'waiting');
    const { id: messageId } = write.message('calls', { chatId, turnId, replyTo: turn.questionId });
    const events: Parameters<RawStatements['finish']>[1][number][] = [{ messageId }];
    for (let position = 0; position < 3; position += 1) {
      const callId = newId('call');
      const approvalId = newId('approval');
      write.invocation(callId, { chatId, turnId, messageId, position, tool: BOOK }, approvalId);
      const { id: askedIn } = write.message('ask', { chatId, turnId, replyTo: messageId });
      write.approval(approvalId, { chatId, invocationId: callId, messageId: askedIn, tool: BOOK });
      events.push({ messageId: askedIn }, 'tool');
      calls.push({ callId, approvalId, askedIn });
    }
    write.status(chatId, 'waiting');
    write.finish(chatId, [...events, 'world'], 3);
  });
  return { ...turn, calls };
}

/** From the pause: three decisions, three starts, three ends, the answer. */
function finishThree(write: RawStatements, turn: WaitingTurn): void {
  const { chatId, turnId } = turn;
  let rev = 2;
  for (const [index, { callId, approvalId, askedIn }] of turn.calls.entries()) {
    // decision
    write.transaction(() => {
      write.moveTurn(turnId, rev, 'open');
      const { id } = write.message('decision', { chatId, turnId, replyTo: askedIn });
      write.approve(approvalId, callId);
      write.status(chatId, 'working');
      write.finish(chatId, [{ messageId: id }, 'tool', 'world'], 1);
    });
    // start-invocation
    write.transaction(() => {
      write.keepTurn(turnId, rev + 1);
      write.start(callId);
      write.finish(chatId, ['tool'], 1);
    });
    settle(write, turn, rev + 2, callId, index < 2);
    rev += 3;
  }
  answer(write, turn, rev);
}

const TURNS_PER_CHAT = 10;

export function rawSubject(name: string, loop: RawLoop, turn: Case): Subject {
  let used = 0;
  const { before, run } = loop.turns[turn];
  return {
    name,
    async before() {
      used += 1;
      if (used % TURNS_PER_CHAT === 0) loop.newChat();
      before?.();
    },
    run,
  };
}
