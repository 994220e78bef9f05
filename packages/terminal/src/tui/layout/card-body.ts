import {
  changeLines,
  describeCall,
  diffLines,
  maskedWords,
  sandboxWords,
  toolWords,
  whyWords,
  type ApprovalView,
  type DiffLine,
} from '@countersign/client';
import {
  proseSpan,
  span,
  widthOf,
  wrapExact,
  wrapProse,
  wrapWords,
  type Colour,
  type Line,
  type Span,
} from './spans.js';
import { cardWords } from '../../words/cards.js';
import { screenWords } from '../../words/screen.js';

/** Nobody reads so many lines on a screen like this: a longer call is cut, and can't be signed here. */
const MOST_LINES = 5000;

/** The part of a card that is scrolled. */
export interface CardBody {
  readonly lines: readonly Line[];
  /** Something of the call is not among them: then it must not be signed (A17). */
  readonly isCut: boolean;
}

/** What would run, where, and why it is asked. */
export function cardBody(approval: ApprovalView, width: number): CardBody {
  const { question } = approval;
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
  const { words: place, level } = sandboxWords(approval.sandbox);
  const masked = maskedWords(approval);
  const about = (text: string, look: { colour?: Colour; dim?: boolean } = {}): Line[] =>
    // Continuation lines are indented more: an agent's words must not start where only ours do.
    wrapWords(text, width - 3).map((line, index): Line => [{ text: index === 0 ? ' ' : '  ' }, span(line, look)]);
  const said = toolWords(approval)?.replaceAll(/\s*\n\s*/g, ' ');
  const call = callBody(approval, width);
  const hidden = call.length - MOST_LINES;
  const cutWords = screenWords.notAllShown(hidden);
  // Only the call is cut: where it runs and why it is asked are told whatever an agent puts in front of them.
  const lines = [
    ...(said === undefined ? [] : about(cardWords.toolAsks(said))),
    ...call.slice(0, MOST_LINES),
    ...(hidden > 0 ? about(cutWords, { colour: 'waiting' }) : []),
    ...about(cardWords.in(approval.workingDirectory), { dim: true }),
    ...about(place, level === 'warning' ? { colour: 'waiting' } : { dim: true }),
    ...about(whyWords(approval)),
    ...(masked === undefined ? [] : about(masked, { dim: true })),
  ];
  return { lines, isCut: hidden > 0 };
}

/** Only what is an argument of its own stands where arguments begin: a line break in one makes no other (A17). */
function callBody({ toolName, arguments: args, preview }: ApprovalView, width: number): Line[] {
  const room = width - 6;
  const shape = describeCall(toolName, args);
  const exact = (text: string, look: Omit<Span, 'text'> = {}): Line[] =>
    wrapExact(text, room).map((line): Line => [{ text: '   ' }, span(line, look)]);
  // A truncated preview does not show all that would be written: the arguments do.
  const changes = preview?.truncated !== false ? [] : diffLines(preview.text).flatMap((line) => diffLine(line, room));
  switch (shape.kind) {
    case 'shell':
      return [
        ...exact(shape.command, { bold: true }),
        ...shape.parameters.flatMap((word) => wordLines(word, room)),
        ...changes,
      ];
    case 'write':
    case 'edit':
      return [
        ...exact(shape.path, { bold: true }),
        ...changeLines(shape, preview).flatMap((line) => diffLine(line, room)),
      ];
    case 'fields':
      return [...shape.fields.flatMap(({ name, text }) => fieldOf(name, text, room)), ...changes];
    case 'text':
      return [...exact(shape.text, { bold: true }), ...changes];
  }
}

const WORD = ' word ';

/** A literal word that follows the command. It begins where no line of a command can. */
function wordLines(word: string, room: number): Line[] {
  const lines = wrapExact(JSON.stringify(word), room - WORD.length + 3);
  return lines.map((line, index): Line => [
    span(index === 0 ? WORD : ' '.repeat(WORD.length), { dim: true }),
    span(line, { bold: true }),
  ]);
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

/** Its sign stands on every line that a long one is broken into. */
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
