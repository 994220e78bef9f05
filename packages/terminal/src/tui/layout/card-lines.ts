import { describeCall, patternOf, sandboxWords, type ApprovalView } from '@countersign/client';
import type { Choice } from '../ui-state.js';
import { fieldLines } from './field-lines.js';
import { lineWidth, span, wrapExact, wrapWords, type Colour, type Line, type Span } from './spans.js';
import { maskedWords } from './words.js';

/** A call so long is signed in the browser, where all of it can be seen. */
const MOST_LINES = 5000;

/** What would run, where, and why it is asked: the part of a card that is scrolled. */
export function cardBody(approval: ApprovalView, width: number): Line[] {
  const { question } = approval;
  if (question !== undefined) {
    return [
      ...wrapWords(question.text, width - 4).map((line): Line => [{ text: '  ' }, span(line)]),
      ...question.choices
        .slice(0, 9)
        .map((choice, index): Line => [
          span(`  ${index + 1} `, { colour: 'do', bold: true }),
          span(choice.length > width * 2 ? `${choice.slice(0, width * 2)}…` : choice),
        ]),
    ];
  }
  const { words: place, safe } = sandboxWords(approval.sandbox);
  const masked = maskedWords(approval);
  const about = (text: string, look: { colour?: Colour; dim?: boolean } = {}): Line[] =>
    wrapWords(text, width - 2).map((line): Line => [{ text: ' ' }, span(line, look)]);
  return [
    ...callBody(approval, width),
    ...about(`in ${approval.workingDirectory}`, { dim: true }),
    ...about(place, safe ? { dim: true } : { colour: 'waiting' }),
    ...about(`Why you are asked: ${approval.why}`),
    ...(masked === undefined ? [] : about(masked, { dim: true })),
  ].slice(0, MOST_LINES);
}

function callBody({ toolName, arguments: args, preview }: ApprovalView, width: number): Line[] {
  const room = width - 6;
  const shape = describeCall(toolName, args);
  const exact = (text: string, look: Omit<Span, 'text'> = {}): Line[] =>
    wrapExact(text, room).map((line): Line => [{ text: '   ' }, span(line, look)]);
  const changes = preview === undefined ? [] : previewLines(preview, room);
  switch (shape.kind) {
    case 'shell':
      return [
        ...exact(shape.command, { bold: true }),
        ...shape.parameters.flatMap((word) => exact(JSON.stringify(word), { bold: true })),
        ...changes,
      ];
    case 'write':
      return [
        ...exact(shape.path, { bold: true }),
        ...(preview === undefined ? marked(shape.content, '+', 'good', room) : changes),
      ];
    case 'edit':
      return [
        ...exact(shape.path, { bold: true }),
        ...(preview === undefined
          ? [...marked(shape.before, '-', 'bad', room), ...marked(shape.after, '+', 'good', room)]
          : changes),
      ];
    case 'fields':
      return [
        ...shape.fields.flatMap(({ name, text }): Line[] => {
          const lines = wrapExact(`${name}: ${text}`, room);
          return lines.map((line): Line => [{ text: '   ' }, span(line, { bold: true })]);
        }),
        ...changes,
      ];
    case 'text':
      return [...exact(shape.text, { bold: true }), ...changes];
  }
}

/** A diff, line by line; its sign stands on every line that a long one is broken into. */
function previewLines(preview: string, room: number): Line[] {
  const lines = preview.replace(/\n$/, '').split('\n');
  const isDiff = lines.some((line) => line.startsWith('@@'));
  let inside = !isDiff;
  return lines.flatMap((line): Line[] => {
    if (line.startsWith('@@')) {
      inside = true;
      return [[{ text: '   ' }, span(line, { dim: true })]];
    }
    // The card names the file.
    if (!inside) return /^(?:---|\+\+\+|diff |index |=+$)/.test(line) ? [] : marked(line, ' ', undefined, room);
    if (isDiff && line.startsWith('+')) return marked(line.slice(1), '+', 'good', room);
    if (isDiff && line.startsWith('-')) return marked(line.slice(1), '-', 'bad', room);
    return marked(isDiff && line.startsWith(' ') ? line.slice(1) : line, ' ', undefined, room);
  });
}

function marked(text: string, sign: string, colour: Colour | undefined, room: number): Line[] {
  return wrapExact(text.replace(/\n$/, ''), room - 2).map((line): Line => [
    { text: '   ' },
    span(`${sign} `, { colour, dim: colour === undefined }),
    span(line, { colour, dim: colour === undefined }),
  ]);
}

export interface CardState {
  readonly approval: ApprovalView;
  readonly agent: string;
  readonly choice: Choice;
  readonly isFocused: boolean;
  readonly isArmed: boolean;
  readonly isSending: boolean;
  readonly hasOthers: boolean;
}

const FIELD_LINES = 3;

/** What can be chosen, and what is. Deny comes first. */
export function cardFoot(card: CardState, width: number): Line[] {
  if (card.isSending) return [[span(' Sending your answer…', { dim: true })]];
  return [...optionLines(card, width), ...choiceLines(card, width)];
}

function optionLines({ approval, choice, isFocused, isArmed, hasOthers }: CardState, width: number): Line[] {
  const may = (option: ApprovalView['options'][number]): boolean => approval.options.includes(option);
  const isQuestion = approval.question !== undefined;
  const offered: readonly (readonly [string, string, Choice['kind'] | 'next', boolean])[] = [
    ['d', 'Deny…', 'deny', true],
    ['r', 'Answer…', 'answer', isQuestion],
    ['o', 'Approve once', 'once', !isQuestion && may('approve_once')],
    ['c', 'Approve for this chat', 'session', !isQuestion && may('approve_session')],
    ['a', 'Always…', 'always', !isQuestion && may('approve_always')],
    ['e', 'Edit', 'edit', !isQuestion && may('approve_once')],
    ['n', 'Next', 'next', hasOthers],
  ];
  const chips = offered
    .filter(([, , , isThere]) => isThere)
    .map(([key, label, kind]): Line => {
      if (kind === choice.kind) return [span(` ${key} ${label} `, { inverse: true, bold: true })];
      const isDim = !isFocused || (!isArmed && kind !== 'next');
      return [{ text: ' ' }, span(key, { colour: 'do', bold: true, dim: isDim }), span(` ${label} `, { dim: isDim })];
    });
  return flow(chips, width);
}

/** Side by side as long as they fit. */
function flow(chips: readonly Line[], width: number): Line[] {
  const lines: Line[] = [];
  for (const chip of chips) {
    const last = lines.at(-1);
    if (last !== undefined && lineWidth(last) + lineWidth(chip) + 1 <= width)
      lines[lines.length - 1] = [...last, ...chip];
    else lines.push(chip);
  }
  return lines;
}

function choiceLines({ approval, agent, choice, isFocused, isArmed }: CardState, width: number): Line[] {
  const words = (text: string, look: Omit<Span, 'text'> = {}): Line[] =>
    wrapWords(text, width - 2).map((line): Line => [{ text: ' ' }, span(line, look)]);
  const field = (label: string, own: Extract<Choice, { field: unknown }>['field']): Line[] => {
    const lines = fieldLines(own, width - label.length - 3, FIELD_LINES, isFocused);
    return lines.map((line, index) => [
      span(index === 0 ? ` ${label} ` : ' '.repeat(label.length + 2), { bold: true }),
      ...line,
    ]);
  };
  switch (choice.kind) {
    case 'none':
      if (!isFocused) return words('Nothing runs until you sign. Tab or Ctrl-G brings you here.', { dim: true });
      if (!isArmed) return words('A moment: keys meant for something else do nothing here.', { dim: true });
      return words(
        approval.question === undefined ? 'Nothing runs until you sign.' : 'The agent waits for your words.',
        { dim: true },
      );
    case 'once':
      return words('Approve once: exactly this call, now. Enter signs · Esc takes it back', { colour: 'do' });
    case 'session': {
      const pattern = patternOf(approval.proposedRule ?? '');
      const what = choice.isNarrow && pattern !== undefined ? `calls like ${pattern}` : 'any use';
      const other = choice.isNarrow ? 'any use' : 'only calls like this';
      const narrow = pattern === undefined ? '' : ` · l: ${other}`;
      return words(
        `For this chat: ${what} of ${approval.toolName} by ${agent}, until the chat ends or you revoke it. Enter signs${narrow} · Esc takes it back`,
        { colour: 'do' },
      );
    }
    case 'deny':
      return [
        ...field('Why not?', choice.field),
        ...words('Enter denies, with these words or none · Esc goes back', { dim: true }),
      ];
    case 'always':
      return [
        ...field('Rule', choice.field),
        ...words(
          'Calls that match run unasked, in every chat of this world. Enter approves and writes the rule · Esc goes back',
          {
            dim: true,
          },
        ),
      ];
    case 'edit':
      return [
        ...field(
          describeCall(approval.toolName, approval.arguments).kind === 'shell' ? 'Command' : 'Arguments',
          choice.field,
        ),
        ...(choice.problem === undefined ? [] : words(choice.problem, { colour: 'bad' })),
        ...words('Enter approves once what stands here; the agent is told · Esc goes back', { dim: true }),
      ];
    case 'answer':
      return [...field('Answer', choice.field), ...words('Enter sends · Esc goes back', { dim: true })];
  }
}
