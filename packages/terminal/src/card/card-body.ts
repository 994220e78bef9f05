import {
  abandonedText,
  editedText,
  notEditableText,
  changeLines,
  describeCall,
  diffLines,
  effectText,
  hostsToAllow,
  maskedText,
  folderOf,
  sandboxText,
  signingLines,
  toolText,
  whyText,
  type ApprovalView,
  type DiffLine,
  type EffectFile,
  type Reader,
} from '@countersign/client';
import {
  proseSpan,
  span,
  widthOf,
  wrapExact,
  wrapPath,
  wrapProse,
  wrapWords,
  type Colour,
  type Line,
  type Span,
} from '../text/spans.js';
import { printedText } from '../text/plain-text.js';
import type { Choice } from '../tui/ui-state.js';
import { formBody } from '../tui/card/form-lines.js';
import { cardWords } from '../words/cards.js';
import { screenWords } from '../words/screen.js';

/** Nobody reads this many lines here: a longer call is truncated and can't be approved. */
const MAX_LINES = 5000;

/** The scrollable part of a card. */
export interface CardBody {
  readonly lines: readonly Line[];
  /** Set if part of the call is missing, so that it must not be approved (A17). */
  readonly isCut: boolean;
}

/** What would run, where, and why it needs approval. */
export function cardBody(approval: ApprovalView, width: number, choice?: Choice, me?: Reader): CardBody {
  const { question } = approval;
  if (question?.form !== undefined) {
    const draft = choice?.kind === 'form' ? choice.draft : undefined;
    return { lines: formBody(question.form, draft, width), isCut: false };
  }
  if (question !== undefined) {
    const lines = [
      ...wrapProse(question.text, width - 4).map((line): Line => [{ text: '  ' }, { text: line }]),
      ...question.choices
        .slice(0, 9)
        .map((choice, index): Line => [
          span(`  ${index + 1} `, { colour: 'do', bold: true }),
          proseSpan(choice.length > width * 2 ? `${choice.slice(0, width * 2)}…` : choice),
        ]),
    ];
    return { lines, isCut: false };
  }
  const { words: place, level } = sandboxText(approval.sandbox);
  const abandoned = abandonedText(approval);
  const notEditable = notEditableText(approval);
  const edited = editedText(approval);
  const masked = maskedText(approval);
  const about = (text: string, look: { colour?: Colour; dim?: boolean } = {}): Line[] =>
    // Continuation lines are indented further: untrusted text must not start where only our own text may start.
    wrapWords(text, width - 3).map((line, index): Line => [{ text: index === 0 ? ' ' : '  ' }, span(line, look)]);
  const said = toolText(approval)?.replaceAll(/\s*\n\s*/g, ' ');
  const call = [...callBody(approval, width), ...effectBody(approval, width), ...hostBody(approval, width)];
  const hidden = call.length - MAX_LINES;
  const cutWords = screenWords.notAllShown(hidden);
  // Only the call is truncated: the folder and the reason are always shown.
  const lines = [
    ...(edited === undefined ? [] : about(edited, { colour: 'do' })),
    ...(said === undefined ? [] : about(cardWords.toolAsks(said))),
    ...call.slice(0, MAX_LINES),
    ...(hidden > 0 ? about(cutWords, { colour: 'waiting' }) : []),
    ...about(cardWords.in(folderOf(approval)), { dim: true }),
    ...about(place, level === 'warning' ? { colour: 'waiting' } : { dim: true }),
    ...about(whyText(approval)),
    ...(notEditable === undefined ? [] : about(notEditable, { dim: true })),
    ...(abandoned === undefined ? [] : about(abandoned, { colour: 'waiting' })),
    ...signingLines(approval, me).flatMap((line) => about(line, { colour: 'waiting' })),
    ...(masked === undefined ? [] : about(masked, { dim: true })),
  ];
  return { lines, isCut: hidden > 0 };
}

/** Only argument names start at the argument column, so a line break in an argument can't fake another one (A17). */
function callBody({ toolName, arguments: args, preview, effect }: ApprovalView, width: number): Line[] {
  const room = width - 6;
  const shape = describeCall(toolName, args);
  const exact = (text: string, look: Omit<Span, 'text'> = {}): Line[] =>
    wrapExact(text, room).map((line): Line => [{ text: '   ' }, span(line, look)]);
  // A truncated preview doesn't show everything that would be written; the arguments do.
  const changes = preview?.truncated !== false ? [] : diffLines(preview.text).flatMap((line) => diffLine(line, room));
  switch (shape.kind) {
    case 'shell':
      return [
        ...exact(shape.command, { bold: true }),
        ...shape.parameters.flatMap((word) => wordLines(word, room)),
        ...fieldLines(shape.others, room),
        ...changes,
      ];
    case 'write':
    case 'edit':
      return [
        ...exact(shape.path, { bold: true }),
        ...fieldLines(shape.others, room),
        ...changeLines(shape, preview, effect).flatMap((line) => diffLine(line, room)),
      ];
    case 'fields':
      return [...fieldLines(shape.fields, room), ...changes];
    case 'text':
      return [...exact(shape.text, { bold: true }), ...changes];
  }
}

const COLOURS: Readonly<Record<EffectFile['change'], Colour | undefined>> = {
  removed: 'bad',
  changed: undefined,
  moved: undefined,
  added: 'good',
};

/** How to let a command reach the hosts that it tried without network. */
function hostBody(approval: ApprovalView, width: number): Line[] {
  const hosts = hostsToAllow(approval);
  if (hosts.length === 0) return [];
  const text = cardWords.allowHosts(hosts);
  return wrapWords(text, width - 3).map((line): Line => [{ text: ' ' }, span(line, { dim: true })]);
}

/** What the call will do, destructive parts first, or why nobody knows. `foot` replaces what approving it means. */
export function effectBody(approval: Parameters<typeof effectText>[0], width: number, foot?: string): Line[] {
  const text = effectText(approval);
  if (text === undefined) return [];
  const { sentence, isKnown, isDestructive, files, notes, guess, output, isRehearsed, prediction } = text;
  const room = width - 6;
  const own = (words: string, look: Omit<Span, 'text'>): Line[] =>
    wrapWords(words, width - 3).map((line, index): Line => [{ text: index === 0 ? ' ' : '  ' }, span(line, look)]);
  if (!isKnown) return own(sentence, { dim: true });
  return [
    ...own(sentence, { bold: true, colour: isDestructive ? 'bad' : undefined }),
    ...files.flatMap(({ change, sign, path, about, diff }) => [
      ...pathLines(`${path}${about === '' ? '' : ` (${about})`}`, sign, COLOURS[change], room),
      ...folded(diff.flatMap((line) => diffLine(line, room - 2).map((parts): Line => [{ text: '  ' }, ...parts]))),
    ]),
    ...notes.flatMap((note) => own(note, { colour: 'waiting' })),
    ...(guess === '' ? [] : own(guess, { dim: true })),
    ...(output === ''
      ? []
      : [
          ...own(cardWords.printed, { dim: true }),
          ...folded(
            wrapExact(printedText(output).replace(/\n$/, ''), room).map((line): Line => [
              { text: '   ' },
              span(line, { dim: true }),
            ]),
          ),
        ]),
    ...(foot === undefined && !isRehearsed
      ? []
      : own(foot ?? prediction ?? text.withoutNetwork ?? cardWords.rehearsed, { dim: true })),
  ];
}

/** One sign per path. Further lines start at a column of their own, so that part of a name can't look like another path. */
function pathLines(text: string, sign: string, colour: Colour | undefined, room: number): Line[] {
  const look = { colour, dim: colour === undefined };
  return wrapPath(text, room - 4).map((line, index): Line => [
    { text: '   ' },
    span(index === 0 ? `${sign} ` : '    ', look),
    span(line, look),
  ]);
}

const FOLDED_LINES = 20;

function folded(lines: readonly Line[]): Line[] {
  const rest = lines.length - FOLDED_LINES;
  if (rest <= 1) return [...lines];
  return [...lines.slice(0, FOLDED_LINES), [{ text: '     ' }, span(cardWords.moreLinesHere(rest), { dim: true })]];
}

const WORD = ' word ';

/** A literal parameter. Starts at a column where no command line can start. */
function wordLines(word: string, room: number): Line[] {
  const lines = wrapExact(JSON.stringify(word), room - WORD.length + 3);
  return lines.map((line, index): Line => [
    span(index === 0 ? WORD : ' '.repeat(WORD.length), { dim: true }),
    span(line, { bold: true }),
  ]);
}

function fieldLines(fields: readonly { name: string; text: string }[], room: number): Line[] {
  return fields.flatMap(({ name, text }) => fieldOf(name, text, room));
}

function fieldOf(name: string, text: string, room: number): Line[] {
  const label = /^[\w.-]{1,60}$/.test(name) ? `${name}:` : `${JSON.stringify(name)}:`;
  const own = (line: string, indent: string): Line => [{ text: indent }, span(line, { bold: true })];
  const whole = wrapExact(`${label} ${text}`, room);
  if (!text.includes('\n') && whole.length === 1 && widthOf(whole[0] ?? '') <= room)
    return [own(whole[0] ?? '', '   ')];
  return [
    ...wrapExact(label, room).map((line) => own(line, '   ')),
    ...wrapExact(text, room - 2).map((line) => own(line, '     ')),
  ];
}

/** Repeats the sign on every wrapped line. */
function diffLine({ kind, text }: DiffLine, room: number): Line[] {
  switch (kind) {
    case 'added':
      return marked(text, '+', 'good', room);
    case 'removed':
      return marked(text, '-', 'bad', room);
    case 'place':
      return wrapExact(text, room).map((line): Line => [{ text: '   ' }, span(line, { dim: true })]);
    case 'same':
    case 'note':
      return marked(text, ' ', undefined, room);
  }
}

function marked(text: string, sign: string, colour: Colour | undefined, room: number): Line[] {
  return wrapExact(text, room - 2).map((line): Line => [
    { text: '   ' },
    span(`${sign} `, { colour, dim: colour === undefined }),
    span(line, { colour, dim: colour === undefined }),
  ]);
}
