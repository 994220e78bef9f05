import {
  chatPattern,
  chatScopeText,
  coveredTitle,
  describeCall,
  hasFiles,
  nothingRunsText,
  partText,
  type ApprovalView,
  type YourPart,
} from '@countersign/client';
import { CARD_KEYS, offeredActions } from '../../card/card-keys.js';
import { coveredPage } from './confirm-covered.js';
import type { Choice, Covered } from '../ui-state.js';
import { fieldLines, type FieldContent } from '../layout/field-lines.js';
import { formFoot } from './form-lines.js';
import { lineWidth, span, wrapWords, type Line, type Span } from '../../text/spans.js';
import { FILES_HELP } from '../../words/help-chat.js';
import { screenWords } from '../../words/screen.js';

export interface CardState {
  readonly approval: ApprovalView;
  readonly agent: string;
  /** What the reader can do about the call. */
  readonly part: YourPart;
  readonly choice: Choice;
  readonly isFocused: boolean;
  readonly isArmed: boolean;
  readonly isSending: boolean;
  readonly hasOthers: boolean;
  /** Set if part of the call is not shown: it can then only be denied here. */
  readonly isCut: boolean;
  readonly isSeen: boolean;
  /** Waiting calls that the choice would also run. */
  readonly covered: Covered | undefined;
}

const FIELD_LINES = 3;
const labels = screenWords.options;

/** The choices, and which one is selected. Deny comes first. */
export function cardFoot(card: CardState, width: number): Line[] {
  if (card.isSending) return [[span(screenWords.sending, { dim: true })]];
  // Shown alone: a short screen has no room for the choices as well.
  if (card.covered !== undefined) return coveredBy(card.covered, card.choice, width);
  const { choice, approval, isFocused } = card;
  // Shown alone too, because of its height.
  if (choice.kind === 'form') return formFoot(approval.question?.form?.fields ?? [], choice.draft, width, isFocused);
  return [...optionLines(card, width), ...choiceLines(card, choice, width)];
}

/** Lists the covered calls before they run: Enter confirms them or shows the rest. */
function coveredBy(covered: Covered, choice: Choice, width: number): Line[] {
  const { rows, isLast } = coveredPage(covered);
  const kind = choice.kind === 'always' ? 'always' : 'session';
  const words = (text: string, indent: string): Line[] =>
    wrapWords(text, width - 4).map((line): Line => [{ text: indent }, span(line, { colour: 'waiting' })]);
  return [
    ...words(screenWords.cover(kind, coveredTitle(covered.count)), ' '),
    ...rows.map((row): Line => [{ text: '   ' }, span(row, { colour: 'waiting' })]),
    ...words(screenWords.coverChoices(isLast), ' '),
  ];
}

function optionLines(card: CardState, width: number): Line[] {
  const { approval, choice, isFocused, isArmed } = card;
  const isDim = !isFocused || !isArmed;
  const chips = offeredActions(approval, { ...card, hasMore: false }).map((action): Line => {
    const [key] = CARD_KEYS[action];
    if (action === choice.kind) return [span(` ${key} ${labels[action]} `, { inverse: true, bold: true })];
    return chip(key, labels[action], isDim && (!isFocused || action !== 'next'));
  });
  return flow(hasFiles(approval) ? [...chips, chip(FILES_HELP[0], labels.files, isDim)] : chips, width);
}

function chip(key: string, label: string, dim: boolean): Line {
  return [{ text: ' ' }, span(key, { colour: 'do', bold: true, dim }), span(` ${label} `, { dim })];
}

/** Places chips next to each other while they fit. */
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

function choiceLines(
  { approval, agent, part, isFocused, isArmed, isCut, isSeen }: CardState,
  choice: Exclude<Choice, { kind: 'form' }>,
  width: number,
): Line[] {
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
    case 'none': {
      const others = partText(approval, part);
      if (others !== undefined) return words(others, { dim: true });
      const waits = nothingRunsText(approval, 'you');
      if (!isFocused) return words(screenWords.unfocused(waits), { dim: true });
      if (!isSeen && approval.question === undefined)
        return words(screenWords.seeEnd, {
          colour: 'waiting',
        });
      if (!isArmed) return words(screenWords.notArmed, { dim: true });
      if (isCut) return words(screenWords.tooLong, { colour: 'waiting' });
      return words(approval.question === undefined ? waits : screenWords.questionIdle, { dim: true });
    }
    case 'once':
      return words(screenWords.once, { colour: 'do' });
    case 'session': {
      const other =
        approval.session?.any === true
          ? screenWords.narrow(choice.isNarrow ? screenWords.anyUse : screenWords.onlyLike)
          : '';
      const pattern = (choice.isNarrow ? chatPattern(approval) : undefined) ?? '*';
      const what = chatScopeText(approval.toolName, pattern, approval.session?.folder);
      return words(screenWords.session(what, agent, other), { colour: 'do' });
    }
    case 'deny':
      return [...field(screenWords.denyLabel, choice.field, 'prose'), ...words(screenWords.denyHint, { dim: true })];
    case 'always':
      return [
        ...field(screenWords.ruleLabel, choice.field, 'exact'),
        ...words(screenWords.ruleHint, {
          dim: true,
        }),
      ];
    case 'edit':
      return [
        ...field(
          describeCall(approval.toolName, approval.arguments).kind === 'shell'
            ? screenWords.commandLabel
            : screenWords.argumentsLabel,
          choice.field,
          'exact',
        ),
        ...(choice.problem === undefined ? [] : words(choice.problem, { colour: 'bad' })),
        ...words(screenWords.editHint, { dim: true }),
      ];
    case 'answer':
      return [
        ...field(screenWords.answerLabel, choice.field, 'prose'),
        ...words(screenWords.answerHint, { dim: true }),
      ];
  }
}
