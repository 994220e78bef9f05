import {
  agentName,
  get,
  approvalsBlocking,
  heldText,
  rowAt,
  sliceRows,
  stoppedText,
  wordCount,
  attachmentText,
  writerName,
  type ChatState,
  type Invocation,
  type LiveStream,
  type TranscriptMessage,
} from '@countersign/client';
import { BAR, indented, roomIn, wrapFrom, wrapProse } from '../text/behind-bar.js';
import type { Paint } from '../text/paint.js';
import { plainLine, plainText, proseText } from '../text/plain-text.js';
import { describeSignature, describeStep, type StepLook } from './describe-step.js';
import { chatWords } from '../words/chat.js';

/** Prints a chat live: streamed answers, the steps of each call, and tool output. */
export interface Printer {
  /** Marks existing messages as printed. */
  skip(state: ChatState): void;
  /** Skips the person's own message, which is already on the screen. */
  skipMessage(clientMessageId: string): void;
  /** Prints everything new since the last call. */
  show(state: ChatState): void;
  /** Pauses output while a card is open, so that nothing scrolls it away. */
  hold(): void;
  release(): void;
  /** Ends an open line. */
  breakLine(): void;
}

interface PrinterOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly columns: () => number;
  /** The reader's id, if it is known. */
  readonly me: string | undefined;
  /** The agent that answers messages that mention nobody. */
  readonly mainAgent?: string | undefined;
}

/** How much of a stream has been printed, and the column where its line ends. */
interface Spoken {
  /** How many characters of the stream have been printed. */
  taken: number;
  column: number;
}

export function createPrinter({ write, paint, columns, me, mainAgent }: PrinterOptions): Printer {
  const known = new Set<string>();
  /** The person's own messages, by `clientMessageId`. */
  const own = new Set<string>();
  const spoken = new Map<string, Spoken>();
  /** Streams whose thinking has been announced. */
  const thinking = new Set<string>();
  const steps = new Map<string, string>();
  const outputs = new Map<string, number>();
  const watched = new Set<string>();
  /** Messages that may be on hold; whether they are is not known yet. */
  const maybeHeld = new Set<string>();
  let notice = 0;
  let connection = 'open';
  /** The message or call whose line is open. */
  let open: string | undefined;
  let held = false;
  let last: ChatState | undefined;

  const look = (): StepLook => ({ paint, columns: columns(), me });

  function line(text: string): void {
    breakLine();
    write(`${text}\n`);
  }

  function breakLine(): void {
    if (open !== undefined) write('\n');
    open = undefined;
  }

  /** Prints text from others behind the bar, never wider than the terminal. */
  function pour(id: string, heading: string, at: Spoken, text: string): void {
    if (text === '') return;
    if (open !== id) {
      line(heading);
      write(BAR);
      open = id;
      at.column = 0;
    }
    const wrapped = wrapFrom(text, at.column, roomIn(columns()), `\n${BAR}`);
    at.column = wrapped.column;
    write(wrapped.text);
  }

  function showStream(state: ChatState, stream: LiveStream): void {
    const { messageId, agentId, text, missing } = stream;
    if (text === '' && stream.thinking !== '' && !thinking.has(messageId)) {
      thinking.add(messageId);
      const who = agentId === undefined ? stream.agentName : agentName(state, agentId);
      line(paint.dim(chatWords.thinkingNow(plainLine(who))));
    }
    const at = spoken.get(messageId) ?? { taken: missing, column: 0 };
    spoken.set(messageId, at);
    // The last character may be half of a surrogate pair, or a joiner that waits for the next character.
    const end = text.length - (/[\u200C\u200D]?[\uD800-\uDBFF\r]$|[\u200C\u200D]$/.exec(text)?.[0].length ?? 0);
    const fresh = text.slice(Math.max(0, at.taken - missing), end);
    const name = agentId === undefined ? stream.agentName : agentName(state, agentId);
    const begins = at.taken === 0 ? fresh.replace(/^\s+/, '') : fresh;
    if (begins === '') return;
    const heading = `${paint.agent(agentId ?? name, plainLine(name))}${at.taken > missing ? paint.dim(chatWords.continued) : ''}`;
    pour(messageId, heading, at, proseText(text, end - begins.length, end));
    at.taken = missing + end;
  }

  function showMessage(state: ChatState, message: TranscriptMessage): void {
    for (const id of message.invocationIds) watched.add(id);
    if (message.content.trim() !== '') showContent(state, message);
    for (const file of message.attachments ?? []) line(paint.dim(`${BAR}${plainLine(attachmentText(file))}`));
    if (message.stoppedBy !== undefined) line(paint.dim(`■ ${plainLine(stoppedText(message.stoppedBy, me))}`));
    if (message.thinking !== undefined) line(paint.dim(chatWords.thoughts(wordCount(message.thinking))));
  }

  function showContent(state: ChatState, message: TranscriptMessage): void {
    const { messageId, content } = message;
    const heard = spoken.get(messageId);
    spoken.delete(messageId);
    if (heard !== undefined && heard.taken > 0) {
      // The message was printed while it streamed. Mentions may have been added or removed since (WORLD5); don't print it twice.
      if (open === messageId && content.length > heard.taken && !content.startsWith('@')) {
        pour(messageId, '', heard, proseText(content, heard.taken).trimEnd());
      }
      breakLine();
      return;
    }
    line(headingOf(state, message));
    for (const text of wrapProse(content.trim(), columns())) write(`${BAR}${text}\n`);
  }

  function headingOf(state: ChatState, { speaker }: TranscriptMessage): string {
    switch (speaker.kind) {
      case 'person':
        return paint.bold(plainLine(writerName(speaker, me) ?? chatWords.you));
      case 'agent':
        return paint.agent(speaker.agentId, plainLine(agentName(state, speaker.agentId)));
      case 'world':
        return paint.bold('world');
      case 'system':
        return paint.dim('·');
    }
  }

  function showCall(state: ChatState, call: Invocation): void {
    showOutput(state, call);
    const step = describeStep(state, call, look());
    if (step === undefined || steps.get(call.invocationId) === step.key) return;
    const before = steps.get(call.invocationId);
    steps.set(call.invocationId, step.key);
    // The call may have started before its approval was reported.
    const signed =
      before === undefined || before.startsWith('asked') ? describeSignature(state, call, look()) : undefined;
    if (signed !== undefined && step.key !== 'approved') line(signed);
    line(step.text);
    if (call.end === undefined) return;
    watched.delete(call.invocationId);
    outputs.delete(call.invocationId);
  }

  function showCalls(state: ChatState, ids: readonly string[]): void {
    for (const id of ids) {
      const call = get(state.invocations, id);
      if (call !== undefined) showCall(state, call);
    }
  }

  function showOutput(state: ChatState, { invocationId, toolName }: Invocation): void {
    const tail = state.outputs.get(invocationId);
    if (tail === undefined) return;
    const before = outputs.get(invocationId) ?? 0;
    const total = tail.dropped + tail.length;
    if (total <= before) return;
    const text = tail.parts.map((part) => part.text).join('');
    const fresh = text.slice(Math.max(0, text.length - (total - before)));
    outputs.set(invocationId, total);
    const id = `output ${invocationId}`;
    const at = spoken.get(id) ?? { taken: 0, column: 0 };
    spoken.set(id, at);
    // Don't write the last line break until something follows.
    pour(id, paint.dim(chatWords.toolOutput(plainLine(toolName))), at, plainText(fresh.replace(/\n$/, '')));
    if (fresh.endsWith('\n')) breakLine();
  }

  /** Prints a note: without it, the message would look ignored (WORLD11). */
  function tellHeld(state: ChatState): void {
    for (const id of maybeHeld) {
      if (get(state.messages, id) === undefined) continue;
      maybeHeld.delete(id);
      const held = approvalsBlocking(state, id, mainAgent);
      if (held.length > 0) line(paint.dim(chatWords.held(plainLine(heldText(state, held)))));
    }
  }

  /** Searches from the end: the cost of an event must not grow with the length of the chat. */
  function newRows({ transcript }: ChatState): string[] {
    const rows: string[] = [];
    for (let at = transcript.length - 1; at >= 0; at -= 1) {
      const id = rowAt(transcript, at);
      if (id === undefined || known.has(id)) break;
      rows.unshift(id);
    }
    return rows;
  }

  function show(state: ChatState): void {
    last = state;
    if (held || state.loading.kind !== 'ready') return;
    showConnection(state);
    for (const id of state.openInvocations) {
      const messageId = get(state.invocations, id)?.messageId;
      // If its message has not been printed yet, the call follows the message, in call order.
      if (messageId === undefined || known.has(messageId)) watched.add(id);
    }
    // Print calls before later messages: an answer comes after the results it is based on.
    showCalls(state, [...watched]);
    for (const id of newRows(state)) {
      known.add(id);
      const message = get(state.messages, id);
      if (message === undefined) continue;
      if (!own.has(message.clientMessageId ?? '')) showMessage(state, message);
      maybeHeld.add(id);
      tellHeld(state);
      showCalls(state, message.invocationIds);
    }
    tellHeld(state);
    // Print one stream at a time; the others follow when it has ended.
    const current = state.streams.find(({ messageId }) => messageId === open);
    if (current !== undefined) showStream(state, current);
    if (current === undefined || current.ended) for (const stream of state.streams) showStream(state, stream);
    for (const { eventId, message, type } of state.notices) {
      if (eventId <= notice) continue;
      notice = eventId;
      line(
        type === 'error'
          ? paint.red(indented(`✗ ${message}`, columns()))
          : paint.dim(indented(`· ${message}`, columns())),
      );
    }
  }

  function showConnection(state: ChatState): void {
    const { kind } = state.connection;
    if (kind === connection) return;
    if (kind === 'reconnecting') line(paint.amber(chatWords.reconnecting));
    if (kind === 'open' && connection === 'reconnecting') line(paint.dim(chatWords.reconnected));
    if (kind !== 'connecting') connection = kind;
  }

  return {
    skip(state) {
      for (const id of sliceRows(state.transcript)) known.add(id);
      for (const id of state.openInvocations) {
        const call = get(state.invocations, id);
        const step = call === undefined ? undefined : describeStep(state, call, look());
        if (step !== undefined) steps.set(id, step.key);
      }
      for (const { eventId } of state.notices) notice = Math.max(notice, eventId);
    },
    skipMessage: (clientMessageId) => void own.add(clientMessageId),
    show,
    hold() {
      breakLine();
      held = true;
    },
    release() {
      held = false;
      if (last !== undefined) show(last);
    },
    breakLine,
  };
}
