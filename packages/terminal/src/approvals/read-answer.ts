import type { ApprovalView } from '@countersign/client';
import { cardWords } from '../words/cards.js';

/** What a typed line means on a card. Only a whole line of one word signs; a line that is not understood decides nothing (A17). */
export type CardAnswer =
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'approve'; readonly scope: 'once' | 'session' }
  /** The rule is shown, and signed by itself. */
  | { readonly kind: 'rule' }
  | { readonly kind: 'edit' }
  | { readonly kind: 'more' }
  | { readonly kind: 'reveal' }
  | { readonly kind: 'next' };

export interface Offers {
  /** Something of the call has not been shown yet. */
  readonly isCut: boolean;
  /** Others wait too. */
  readonly hasOthers: boolean;
  readonly isEdited: boolean;
  /** Something in it is masked. */
  readonly isMasked: boolean;
}

export function readAnswer(line: string, { options }: Pick<ApprovalView, 'options'>, offers: Offers): CardAnswer {
  const text = line.trim();
  const [word = '', ...rest] = text.split(/\s+/);
  const reason = rest.join(' ');
  if (text === '') return { kind: 'deny', reason: cardWords.noReason };
  if (/^(d|deny|n|no)$/i.test(word) && !(word === 'n' && reason === '' && offers.hasOthers)) {
    return { kind: 'deny', reason: reason === '' ? cardWords.noReason : reason };
  }
  const unknown: CardAnswer = { kind: 'unknown' };
  switch (text.toLowerCase()) {
    case 's':
    case 'show':
      return { kind: 'more' };
    case 'r':
    case 'reveal':
      return offers.isMasked ? { kind: 'reveal' } : unknown;
    case 'n':
    case 'next':
      return offers.hasOthers ? { kind: 'next' } : unknown;
    default:
  }
  // Nobody has seen all of it.
  if (offers.isCut) return unknown;
  switch (text.toLowerCase()) {
    case 'o':
    case 'once':
      return options.includes('approve_once') ? { kind: 'approve', scope: 'once' } : unknown;
    case 'c':
    case 'chat':
      return options.includes('approve_session') && !offers.isEdited ? { kind: 'approve', scope: 'session' } : unknown;
    case 'a':
    case 'always':
      return options.includes('approve_always') && !offers.isEdited ? { kind: 'rule' } : unknown;
    case 'e':
    case 'edit':
      return options.includes('approve_once') ? { kind: 'edit' } : unknown;
    default:
      return unknown;
  }
}

/** The choices that would take effect, and no others (A2). Deny is first. */
export function describeChoices(
  approval: Pick<ApprovalView, 'options' | 'toolName' | 'proposedRule'>,
  agentName: string,
  { isCut, hasOthers, isEdited, isMasked }: Offers,
): string[] {
  const { options, toolName, proposedRule } = approval;
  const signs = [
    ...(options.includes('approve_once') ? [isEdited ? cardWords.onceEdited : cardWords.once] : []),
    ...(options.includes('approve_session') && !isEdited ? [cardWords.session(toolName, agentName)] : []),
    ...(options.includes('approve_always') && !isEdited ? [cardWords.always(proposedRule ?? '')] : []),
    ...(options.includes('approve_once') ? [cardWords.edit] : []),
  ];
  return [
    cardWords.deny,
    ...(isCut ? [] : signs),
    cardWords.more,
    ...(isMasked ? [cardWords.reveal] : []),
    ...(hasOthers ? [cardWords.next] : []),
  ];
}
