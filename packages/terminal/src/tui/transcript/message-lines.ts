import {
  agentColour,
  agentInitials,
  agentName,
  asText,
  callLine,
  get,
  failureText,
  approvalsBlocking,
  heldText,
  isForYou,
  placeInQueue,
  stoppedText,
  wordCount,
  attachmentText,
  writerName,
  type ApprovalView,
  type ChatState,
  type Invocation,
  type LiveStream,
  type Notice,
  type OutputTail,
  type TranscriptMessage,
} from '@countersign/client';
import { clockText } from '../../text/clock-text.js';
import { printedText } from '../../text/plain-text.js';
import {
  cut,
  span,
  spread,
  wrapExact,
  wrapProse,
  wrapWords,
  type Colour,
  type Line,
  type Span,
} from '../../text/spans.js';
import { callLook } from './call-look.js';
import { chatWords } from '../../words/chat.js';
import { screenWords } from '../../words/screen.js';

/** A message with everything that is shown below it. */
export interface MessageView {
  readonly message: TranscriptMessage;
  readonly name: string;
  readonly calls: readonly CallView[];
  readonly notices: readonly Notice[];
  /** Why the message is on hold; empty if it isn't. */
  readonly held: string;
}

interface CallView {
  readonly invocation: Invocation;
  readonly approval: ApprovalView | undefined;
  readonly output: OutputTail | undefined;
  /** `1 of 3` while the call waits. */
  readonly place: string | undefined;
  /** False if the call waits for other people. */
  readonly isYours: boolean;
}

interface LinesOptions {
  readonly now: number;
  readonly isWide: boolean;
  readonly me: string | undefined;
}

/** The maximum number of lines per message. The rest is truncated. */
const MAX_LINES = 4000;
const MAX_CHARACTERS = 400_000;
const TAIL = 5;
const WHOLE_TAIL = 400;

export function messageLines(view: MessageView, width: number, { now, isWide, me }: LinesOptions): Line[] {
  const { message, name, calls, notices, held } = view;
  const writer = message.speaker.kind === 'person' ? writerName(message.speaker, me) : undefined;
  const colour = speakerColour(message);
  const bar: Span = { text: ' │ ', colour, dim: colour === undefined };
  const said = message.content.trim() === '' ? [] : behind(bar, wrapLong(message.content, width - 4));
  return [
    headLine(message, writer ?? name, now),
    ...thinkingLines(message.thinking, width, bar, isWide),
    ...said,
    ...(message.attachments ?? []).map((file): Line => [bar, span(attachmentText(file), { dim: true })]),
    ...(message.stoppedBy === undefined ? [] : [[bar, span(`■ ${stoppedText(message.stoppedBy, me)}`, { dim: true })]]),
    ...(held === '' ? [] : [heldLine(bar, held)]),
    ...calls.flatMap((call) => callLines(call, width, bar, { isWide, me })),
    ...notices.flatMap((notice) => noticeLines(notice, width)),
    [],
  ];
}

/** Shows thinking on one line, unless the person expands the transcript. */
function thinkingLines(thinking: string | undefined, width: number, bar: Span, isWide: boolean): Line[] {
  if (thinking === undefined) return [];
  const head = span(screenWords.thoughts(wordCount(thinking), isWide), { dim: true });
  if (!isWide) return [[bar, head]];
  return [[bar, head], ...wrapLong(thinking, width - 6).map((line): Line => [bar, { text: `  ${line}`, dim: true }])];
}

export function streamLines(stream: LiveStream, name: string, width: number, isWide = false): Line[] {
  const { agentId = stream.agentName, text, missing } = stream;
  const colour = colourOf(agentId);
  const bar: Span = { text: ' │ ', colour };
  // While it streams, only the end matters.
  const shown = text.length > MAX_CHARACTERS ? text.slice(-MAX_CHARACTERS) : text;
  return [
    [...nameSpans(name, colour), span(screenWords.speaking, { dim: true })],
    ...(stream.thinking === '' ? [] : thinkingLines(stream.thinking.slice(-MAX_CHARACTERS), width, bar, isWide)),
    ...behind(bar, wrapLong(missing > 0 ? `… ${shown}` : shown, width - 4)),
    [],
  ];
}

export function unsentLines(unsent: readonly { readonly text: string }[], width: number): Line[] {
  const bar: Span = { text: ' │ ', dim: true };
  return unsent.flatMap(({ text }): Line[] => [
    [span(` ${chatWords.you}`, { bold: true }), span(`  ${screenWords.notSent}`, { colour: 'waiting' })],
    ...behind(bar, wrapLong(text, width - 4)),
    [],
  ]);
}

export function noticeLines({ type, message }: Notice, width: number): Line[] {
  const look = type === 'error' ? ({ colour: 'bad' } as const) : { dim: true };
  const icon = type === 'error' ? '✗' : '·';
  return wrapWords(message, width - 5).map((line, index) => [
    span(index === 0 ? ` ${icon} ` : '   ', look),
    span(line, look),
  ]);
}

export function viewOf(
  state: ChatState,
  message: TranscriptMessage,
  notices: readonly Notice[],
  mainAgent: string | undefined,
): MessageView {
  return {
    message,
    name: nameOf(state, message),
    notices,
    held: heldBy(state, message, mainAgent),
    calls: message.invocationIds.flatMap((id): CallView[] => {
      const invocation = get(state.invocations, id);
      if (invocation === undefined) return [];
      const last = invocation.approvalIds.at(-1);
      const place = last === undefined ? undefined : placeInQueue(state, last);
      const approval = last === undefined ? undefined : get(state.approvals, last);
      return [
        {
          invocation,
          approval,
          isYours: approval === undefined || isForYou(approval, state.me),
          output: state.outputs.get(id),
          place: place === undefined ? undefined : `${place.position} of ${place.total}`,
        },
      ];
    }),
  };
}

export function colourOf(agentId: string): Colour {
  return `agent ${agentColour(agentId)}`;
}

function speakerColour({ speaker }: TranscriptMessage): Colour | undefined {
  return speaker.kind === 'agent' ? colourOf(speaker.agentId) : undefined;
}

function nameOf(state: ChatState, { speaker }: TranscriptMessage): string {
  switch (speaker.kind) {
    case 'person':
      return writerName(speaker, undefined) ?? chatWords.you;
    case 'agent':
      return agentName(state, speaker.agentId);
    case 'world':
    case 'system':
      return speaker.kind;
  }
}

function headLine(message: TranscriptMessage, name: string, now: number): Line {
  const colour = speakerColour(message);
  const time = span(`  ${clockText(message.createdAt, now)}`, { dim: true });
  if (colour === undefined) return [span(` ${name}`, { bold: true }), time];
  return [...nameSpans(name, colour), time];
}

function nameSpans(name: string, colour: Colour): Line {
  return [
    { text: ' ' },
    span(agentInitials(name), { colour, inverse: true }),
    span(` ${name}`, { colour, bold: true }),
  ];
}

function heldBy(state: ChatState, { messageId }: TranscriptMessage, mainAgent: string | undefined): string {
  const held = state.queue.length === 0 ? [] : approvalsBlocking(state, messageId, mainAgent);
  return held.length === 0 ? '' : heldText(state, held);
}

function heldLine(bar: Span, held: string): Line {
  return [bar, span(screenWords.held(held), { colour: 'waiting' }), span(screenWords.heldHint, { dim: true })];
}

function behind(bar: Span, lines: readonly string[]): Line[] {
  return lines.map((line) => [bar, { text: line }]);
}

function wrapLong(text: string, width: number): string[] {
  const lines = wrapProse(text.slice(0, MAX_CHARACTERS).replace(/\s+$/, ''), width);
  if (lines.length <= MAX_LINES && text.length <= MAX_CHARACTERS) return lines;
  return [...lines.slice(0, MAX_LINES), screenWords.truncated];
}

function callLines(
  { invocation, approval, output, place, isYours }: CallView,
  width: number,
  bar: Span,
  { isWide, me }: Pick<LinesOptions, 'isWide' | 'me'>,
): Line[] {
  const { status } = invocation;
  const look = callLook(invocation, approval?.decision, me, isYours);
  const more = status.kind === 'asked' ? place : invocation.undone === undefined ? undefined : screenWords.call.undone;
  const words = more === undefined ? look.words : `${look.words} · ${more}`;
  const right: Line = [span(` ${words} `, { colour: look.colour })];
  const args = invocation.editedArguments ?? invocation.arguments;
  const edited = invocation.editedArguments === undefined ? '' : ' (edited)';
  const left: Line = [
    bar,
    span(`${look.icon} `, { colour: look.colour }),
    span(cut(invocation.toolName, 32), { bold: true }),
    { text: ` ${cut(callLine(invocation.toolName, args), 300)}${edited}` },
  ];
  return [spread(left, right, width), ...outcomeLines(invocation, output, width, bar, isWide)];
}

function outcomeLines(
  { status }: Invocation,
  output: OutputTail | undefined,
  width: number,
  bar: Span,
  isWide: boolean,
): Line[] {
  const room = width - 8;
  const below = (lines: readonly string[], colour?: Colour): Line[] =>
    lines.map((line) => [bar, { text: '    ' }, { text: line, colour, dim: colour === undefined }]);
  const tail = (text: string): Line[] => below(tailOf(text, room, isWide ? WHOLE_TAIL : TAIL));
  switch (status.kind) {
    case 'proposed':
    case 'asked':
    case 'approved':
      return [];
    case 'running':
      return output === undefined ? [] : tail(output.parts.map(({ text }) => text).join(''));
    case 'succeeded':
      return isWide && status.outcome === undefined ? tail(resultText(status.result)) : [];
    case 'failed':
      return [
        ...below(
          wrapWords(failureText(status), room).slice(0, isWide ? WHOLE_TAIL : 3),
          status.outcome === 'stopped' ? undefined : 'bad',
        ),
        ...tail(resultText(status.result)),
      ];
    case 'denied':
    case 'expired':
      return status.reason === '' ? [] : below(wrapProse(status.reason, room).slice(0, 4), 'bad');
  }
}

/** The last lines of a call's output. */
function tailOf(output: string, width: number, most: number): string[] {
  const text = printedText(output);
  const shown = text.slice(-most * Math.max(width, 80)).replace(/\n+$/, '');
  if (shown.trim() === '') return [];
  const lines = wrapExact(shown, width);
  const isCut = lines.length > most || shown.length < text.replace(/\n+$/, '').length;
  return isCut ? ['…', ...lines.slice(-most + 1)] : lines;
}

function resultText(result: unknown): string {
  if (typeof result === 'object' && result !== null && 'stdout' in result && 'stderr' in result) {
    return [result.stdout, result.stderr].filter((part) => typeof part === 'string' && part !== '').join('\n');
  }
  return result === undefined || result === null ? '' : asText(result);
}
