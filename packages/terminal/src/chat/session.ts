import {
  ClientError,
  createOutbox,
  get,
  has,
  isForYou,
  isTransient,
  isWaiting,
  newClientMessageId,
  openChat,
  pendingApprovals,
} from '@countersign/client';
import type { ApprovalView, ChatState, ChatStore, Client, Outbox } from '@countersign/client';
import { callsForYou, type Alerts } from '../alerts/alerts.js';
import { askWhileWaiting, firstOf } from '../approvals/ask-while-waiting.js';
import { describeForOthers } from '../approvals/describe-for-others.js';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import type { Keyboard } from '../input/keyboard.js';
import { attachFiles } from './attach-files.js';
import { createChanges } from './changes.js';
import { retrySoon } from '../connection/retry-soon.js';
import type { Printer } from './printer.js';
import { chatWords } from '../words/chat.js';
import { errors } from '../words/errors.js';

/**
 * Who decides approvals: a person here; nobody (deny); someone elsewhere (wait for them); or someone later (a chat that only waits for people
 * counts as settled).
 */
export type Answering = PersonHere | { kind: 'deny' } | { kind: 'wait' } | { kind: 'later' };

export interface PersonHere {
  readonly kind: 'person';
  readonly keyboard: Keyboard;
  readonly alerts?: Alerts | undefined;
}

interface SessionOptions {
  readonly context: CommandContext;
  readonly client: Client;
  readonly world: string;
  readonly chat: string;
  readonly printer: Printer;
  readonly answering: Answering;
  /** Whether earlier messages are printed too. */
  readonly isResumed: boolean;
}

/** `left`: the person left without deciding a call. */
export type Settled = 'settled' | 'timed-out' | 'given-up' | 'left';

interface SettleLimits {
  readonly deadline?: number;
  readonly signal?: AbortSignal;
  /** An additional condition: right after a decision, the event log may lag behind. */
  readonly isHeard?: (state: ChatState) => boolean;
  /** Ends the wait before the chat has settled. */
  readonly isEnough?: (state: ChatState) => boolean;
}

/** One chat that a command follows, across server restarts. */
export interface Session {
  readonly world: string;
  readonly chat: string;
  state(): ChatState;
  client(): Client;
  /** With files of this machine, by path. */
  send(content: string, files?: readonly string[]): Promise<string>;
  /** Sends a message as soon as the server is there (TERM6.2). */
  post(content: string): void;
  readonly outbox: Outbox;
  /** Waits until the chat has settled. Meanwhile, calls that need approval are shown, denied or left waiting. */
  settle(limits?: SettleLimits): Promise<Settled>;
  stop(): Promise<void>;
  /** Whether the server is unreachable. */
  isAway(): boolean;
  /** Ends a line that an answer or a tool left open, because our own text must never continue it. */
  breakLine(): void;
  /** Whether a card is open, or the person left while one was open. Ctrl-C must then not stop the chat, which would deny the call. */
  isAtCard(): boolean;
  close(): void;
}

/** Number of earlier messages to load. */
const LINES_BEFORE = 30;
/** Polling interval when no event arrives. */
const LOOK_AGAIN_MS = 1_000;
/** If no person is waiting, give up on a server that is unreachable for longer than this. */
const LONGEST_AWAY_MS = 60_000;

export async function openSession(options: SessionOptions): Promise<Session> {
  const { context, client, world, chat, printer, answering, isResumed } = options;
  const changes = createChanges();
  /** Approvals decided here that stay in the queue until the event arrives. */
  const answered = new Set<string>();
  /** Approvals postponed by the person. */
  const later = new Set<string>();
  /** Approvals signed here that also wait for others. */
  const signed = new Set<string>();
  /** What was printed about calls that wait for other people. */
  const told = new Map<string, string>();
  let isAtCard = false;
  let isReady = false;
  let wasAway = false;
  const outbox = createOutbox({ client });
  const store = await open();

  async function open(): Promise<ChatStore> {
    // Register only if a person can be asked: a client that claims to ask but can't would prevent unattended denials (CALL13).
    if (answering.kind === 'person') await client.registerClient(world, { label: 'terminal', approvals: true });
    const opened = openChat(client, world, chat, { pageSize: LINES_BEFORE });
    opened.subscribe(() => {
      changes.tell();
      const { kind } = opened.getState().connection;
      if (wasAway && kind === 'open') outbox.retryNow();
      wasAway = kind !== 'open';
      if (!isReady) return;
      printer.show(opened.getState());
      if (answering.kind === 'person') answering.alerts?.show(callsForYou(opened.getState()));
    });
    return opened;
  }

  async function ready(): Promise<void> {
    for (;;) {
      const seen = changes.count();
      const { loading, connection } = store.getState();
      if (loading.kind === 'ready') return;
      if (loading.kind === 'failed') throw new CommandError(loading.why, EXIT.failed);
      if (connection.kind === 'closed') throw new CommandError(connection.why ?? errors.serverClosed, EXIT.failed);
      await changes.after(seen, LOOK_AGAIN_MS);
    }
  }

  /** Checks with the server, because received events may lag behind. */
  async function isSettled(state: ChatState): Promise<boolean> {
    if (state.connection.kind !== 'open' || outbox.getState().some(isWaiting) || !isAtRest(state)) return false;
    const { status } = await client.chat(world, chat);
    if (status !== state.status) return false;
    const newest = (await client.messages(world, chat, { newest: true, limit: 1 })).items.at(-1);
    return newest === undefined || newest.role === 'tool' || has(store.getState().messages, newest.messageId);
  }

  function isAtRest({ status, queue }: ChatState): boolean {
    if (status !== 'waiting') return status === 'idle';
    if (answering.kind === 'later') return true;
    // Every call waits for other people: this person can continue to write.
    return answering.kind === 'person' && queue.length > 0 && queue.every((id) => told.has(id));
  }

  function isMine(approval: ApprovalView): boolean {
    return isForYou(approval, store.getState().me) && !signed.has(approval.approvalId);
  }

  function tellOthers(keyboard: Keyboard, approval: ApprovalView): void {
    const text = describeForOthers(approval, { state: store.getState(), context, told });
    if (text === undefined) return;
    printer.breakLine();
    keyboard.print(`${text}\n`);
  }

  async function handle(pending: readonly ApprovalView[]): Promise<'nothing' | 'handled' | 'left'> {
    const open = pending.filter(({ approvalId }) => !answered.has(approvalId));
    if (open.length === 0 || answering.kind === 'wait' || answering.kind === 'later') return 'nothing';
    if (answering.kind === 'deny') {
      for (const approval of open) await denyUnattended(approval);
      return 'handled';
    }
    for (const approval of open) if (!isMine(approval)) tellOthers(answering.keyboard, approval);
    const mine = open.filter(isMine);
    if (mine.length === 0) return 'nothing';
    if (mine.every(({ approvalId }) => later.has(approvalId))) later.clear();
    const next = firstOf(mine.filter(({ approvalId }) => !later.has(approvalId)));
    if (next === undefined) return 'handled';
    const place = { position: mine.indexOf(next) + 1, total: mine.length };
    return await putBefore(answering.keyboard, next, place);
  }

  async function denyUnattended(approval: ApprovalView): Promise<void> {
    try {
      await client.decide(world, approval, { decision: 'deny', reason: chatWords.unattended });
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      // The denial was not delivered: it is sent again once the server is back. If the server rejects it, the call was decided elsewhere.
      if (error.kind !== 'problem' || isTransient(error)) {
        await changes.after(changes.count(), LOOK_AGAIN_MS);
        return;
      }
    }
    answered.add(approval.approvalId);
  }

  async function putBefore(
    keyboard: Keyboard,
    approval: ApprovalView,
    place: { position: number; total: number },
  ): Promise<'handled' | 'left'> {
    const { approvalId } = approval;
    printer.hold();
    isAtCard = true;
    try {
      const asked = await askWhileWaiting({ context, client, world, keyboard }, store, approval, { place });
      if (asked.kind === 'left') return 'left';
      switch (asked.kind) {
        case 'approved':
        case 'denied':
        case 'answered':
        case 'replaced':
          answered.add(approvalId);
          break;
        case 'later':
          later.add(approvalId);
          break;
        case 'signed':
          signed.add(approvalId);
          break;
        case 'gone': {
          const now = get(store.getState().approvals, approvalId);
          // If it waits for others now, that is printed next.
          if (now?.decision !== undefined || now === undefined || isMine(now)) answered.add(approvalId);
          break;
        }
        case 'lost':
          keyboard.print(`${chatWords.askedAgain}\n`);
          await changes.after(changes.count(), LOOK_AGAIN_MS);
          break;
      }
      isAtCard = false;
      return 'handled';
    } finally {
      printer.release();
    }
  }

  const isAway = (): boolean => store.getState().connection.kind === 'reconnecting';
  await ready();
  const stopLooking = retrySoon(context, { isAway, retryNow: () => store.retryNow() });
  if (!isResumed) printer.skip(store.getState());
  isReady = true;
  return {
    world,
    chat,
    state: () => store.getState(),
    client: () => client,
    async send(content, files = []) {
      const attachments = await attachFiles(client, { world, chat }, files);
      const clientMessageId = newClientMessageId();
      printer.skipMessage(clientMessageId);
      const message = { content, clientMessageId, ...(attachments.length > 0 && { attachments }) };
      return (await client.send(world, chat, message)).messageId;
    },
    post: (content) => printer.skipMessage(outbox.send({ worldId: world, chatId: chat, content })),
    outbox,
    async settle({ deadline = Infinity, signal, isHeard = () => true, isEnough = () => false } = {}) {
      let awaySince: number | undefined;
      for (;;) {
        const seen = changes.count();
        const state = store.getState();
        printer.show(state);
        if (signal?.aborted === true) return 'given-up';
        if (Date.now() >= deadline) return 'timed-out';
        if (state.deleted) throw new CommandError(errors.chatDeleted, EXIT.failed);
        const { connection } = state;
        if (connection.kind === 'closed') throw new CommandError(connection.why ?? errors.serverClosed, EXIT.failed);
        if (connection.kind === 'reconnecting') awaySince ??= Date.now();
        else awaySince = undefined;
        if (awaySince !== undefined && answering.kind !== 'person' && Date.now() - awaySince > LONGEST_AWAY_MS) {
          throw new CommandError(errors.serverGone, EXIT.failed);
        }
        const handled = await handle(pendingApprovals(state));
        if (handled === 'left') return 'left';
        if (handled === 'handled') continue;
        if (isEnough(state)) return 'settled';
        if (isHeard(state) && (await isSettled(state).catch(() => false))) {
          printer.show(store.getState());
          return 'settled';
        }
        await changes.after(seen, Math.min(LOOK_AGAIN_MS, deadline - Date.now()));
      }
    },
    isAway,
    breakLine: () => printer.breakLine(),
    isAtCard: () => isAtCard,
    async stop() {
      await client.stop(world, chat);
    },
    close() {
      stopLooking();
      outbox.remove(outbox.getState().map(({ clientMessageId }) => clientMessageId));
      outbox.retryNow();
      store.close();
    },
  };
}
