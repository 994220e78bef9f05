import { coveredTitle, describeCall, maskedWords, patternOf, type ApprovalView } from '@countersign/client';
import { coveredPage } from '../confirm-covered.js';
import type { Choice, Covered } from '../ui-state.js';
import { fieldLines, type FieldContent } from './field-lines.js';
import { lineWidth, span, wrapWords, type Line, type Span } from './spans.js';

export interface CardState {
  readonly approval: ApprovalView;
  readonly agent: string;
  readonly choice: Choice;
  readonly isFocused: boolean;
  readonly isArmed: boolean;
  readonly isSending: boolean;
  readonly hasOthers: boolean;
  /** Something of the call is not shown: it can only be denied here. */
  readonly isCut: boolean;
  readonly isSeen: boolean;
  /** Waiting calls that the choice also lets run. */
  readonly covered: Covered | undefined;
}

const FIELD_LINES = 3;

/** What can be chosen, and what is. Deny comes first. */
export function cardFoot(card: CardState, width: number): Line[] {
  if (card.isSending) return [[span(' Sending your answer…', { dim: true })]];
  // Alone: beside what can be chosen there would be no room for them on a low screen.
  if (card.covered !== undefined) return coveredBy(card.covered, card.choice, width);
  return [...optionLines(card, width), ...choiceLines(card, width)];
}

/** Named before they run: signing once more lets them, or shows the rest. */
function coveredBy(covered: Covered, choice: Choice, width: number): Line[] {
  const { rows, isLast } = coveredPage(covered);
  const what = choice.kind === 'always' ? 'Write the rule' : 'Approve for this chat';
  const words = (text: string, indent: string): Line[] =>
    wrapWords(text, width - 4).map((line): Line => [{ text: indent }, span(line, { colour: 'waiting' })]);
  return [
    ...words(`${what}. ${coveredTitle(covered.count)}`, ' '),
    ...rows.map((row): Line => [{ text: '   ' }, span(row, { colour: 'waiting' })]),
    ...words(`Enter ${isLast ? 'signs all of it' : 'shows the rest'} · Esc cancels`, ' '),
  ];
}

function optionLines({ approval, choice, isFocused, isArmed, hasOthers, isCut }: CardState, width: number): Line[] {
  const may = (option: ApprovalView['options'][number]): boolean => !isCut && approval.options.includes(option);
  const isQuestion = approval.question !== undefined;
  const offered: readonly (readonly [string, string, Choice['kind'] | 'next' | 'reveal', boolean])[] = [
    ['d', 'Deny…', 'deny', true],
    ['r', 'Answer…', 'answer', isQuestion],
    ['o', 'Approve once', 'once', !isQuestion && may('approve_once')],
    ['c', 'Approve for this chat', 'session', !isQuestion && may('approve_session')],
    ['a', 'Always…', 'always', !isQuestion && may('approve_always') && approval.proposedRule !== undefined],
    ['e', 'Edit', 'edit', !isQuestion && may('approve_once')],
    ['v', 'Show secrets', 'reveal', maskedWords(approval) !== undefined],
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

function choiceLines({ approval, agent, choice, isFocused, isArmed, isCut, isSeen }: CardState, width: number): Line[] {
  const words = (text: string, look: Omit<Span, 'text'> = {}): Line[] =>
    wrapWords(text, width - 2).map((line): Line => [{ text: ' ' }, span(line, look)]);
  const field = (label: string, own: Extract<Choice, { field: unknown }>['field'], content: FieldContent): Line[] => {
    const lines = fieldLines(own, width - label.length - 3, FIELD_LINES, isFocused, content);
    return lines.map((line, index) => [
      span(index === 0 ? ` ${label} ` : ' '.repeat(label.length + 2), { bold: true }),
      ...line,
    ]);
  };
  switch (choice.kind) {
    case 'none':
      if (!isFocused) return words('Nothing runs until you sign. Tab or Ctrl-G brings you here.', { dim: true });
      if (!isSeen && approval.question === undefined)
        return words('There is more below. You can sign once you have seen the end.', {
          colour: 'waiting',
        });
      if (!isArmed)
        return words('Just a moment: keys you pressed before the card appeared don’t count.', { dim: true });
      if (isCut) return words('Too long to sign here: part of it is not shown.', { colour: 'waiting' });
      return words(
        approval.question === undefined ? 'Nothing runs until you sign.' : 'The agent waits for your answer.',
        { dim: true },
      );
    case 'once':
      return words('Approve exactly this call, once. Enter signs · Esc cancels', { colour: 'do' });
    case 'session': {
      const pattern = patternOf(approval.proposedRule ?? '');
      const what = choice.isNarrow && pattern !== undefined ? `calls like ${pattern}` : 'any use';
      const other = choice.isNarrow ? 'any use' : 'only calls like this';
      const narrow = pattern === undefined ? '' : ` · l: ${other}`;
      return words(
        `For this chat: ${what} of ${approval.toolName} by ${agent}, until the chat ends or you revoke it. Enter signs${narrow} · Esc cancels`,
        { colour: 'do' },
      );
    }
    case 'deny':
      return [
        ...field('Why not?', choice.field, 'prose'),
        ...words('Enter denies, with or without a reason · Esc goes back', { dim: true }),
      ];
    case 'always':
      return [
        ...field('Rule', choice.field, 'exact'),
        ...words(
          'Matching calls run without approval in every chat of this world. Enter approves and writes the rule · Esc goes back',
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
          'exact',
        ),
        ...(choice.problem === undefined ? [] : words(choice.problem, { colour: 'bad' })),
        ...words('Enter approves this text once; the agent is told · Esc goes back', { dim: true }),
      ];
    case 'answer':
      return [...field('Answer', choice.field, 'prose'), ...words('Enter sends · Esc goes back', { dim: true })];
  }
}
