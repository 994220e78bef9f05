import { chatPattern, hostsToAllow, maskedText, mayEdit, type ApprovalView, type YourPart } from '@countersign/client';

/** What a person can do at a card. */
export type CardAction =
  | 'deny'
  | 'answer'
  | 'once'
  | 'session'
  | 'always'
  | 'edit'
  | 'hosts'
  | 'more'
  | 'reveal'
  | 'next';

/** The keys of a card, on every screen. Where a line is typed, the word does the same as its letter. */
export const CARD_KEYS: Readonly<Record<CardAction, readonly [key: string, word: string]>> = {
  deny: ['d', 'deny'],
  answer: ['r', 'reply'],
  once: ['o', 'once'],
  session: ['c', 'chat'],
  always: ['a', 'always'],
  edit: ['e', 'edit'],
  hosts: ['h', 'host'],
  more: ['s', 'show'],
  reveal: ['v', 'reveal'],
  next: ['n', 'next'],
};

export interface Asked {
  readonly part: YourPart;
  /** Whether part of the call has not been shown. */
  readonly isCut: boolean;
  readonly hasOthers: boolean;
  /** Whether the rest of a call and the messages before it can be asked for. */
  readonly hasMore: boolean;
}

/** The actions that would take effect (CALL2), in the order in which they are offered: deny first. What isn't offered can't be chosen. */
export function offeredActions(
  approval: Pick<ApprovalView, 'options' | 'session' | 'proposedRule' | 'needs' | 'question'> &
    Parameters<typeof maskedText>[0] &
    Parameters<typeof hostsToAllow>[0] &
    Parameters<typeof mayEdit>[0],
  { part, isCut, hasOthers, hasMore }: Asked,
): CardAction[] {
  const { options, question, proposedRule } = approval;
  const isMasked = part !== 'watch' && maskedText(approval) !== undefined;
  // Nobody approves what they have not seen.
  const mayApprove = part === 'decide' && !isCut && question === undefined;
  const offers: readonly (readonly [CardAction, boolean])[] = [
    ['deny', part !== 'watch'],
    ['answer', question !== undefined && part === 'decide'],
    ['once', mayApprove && options.includes('approve_once')],
    ['session', mayApprove && chatPattern(approval) !== undefined],
    ['always', mayApprove && options.includes('approve_always') && proposedRule !== undefined],
    ['edit', mayApprove && options.includes('approve_once') && mayEdit(approval)],
    ['hosts', mayApprove && hostsToAllow(approval).length > 0],
    ['more', hasMore],
    ['reveal', isMasked],
    ['next', hasOthers],
  ];
  return offers.flatMap(([action, isThere]) => (isThere ? [action] : []));
}

/** The offered action of a letter or word. */
export function actionFor(typed: string, offered: readonly CardAction[]): CardAction | undefined {
  return offered.find((action) => CARD_KEYS[action].includes(typed));
}
