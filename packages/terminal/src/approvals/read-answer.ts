import { chatPattern, chatScopeText, mayEdit, type ApprovalView } from '@countersign/client';
import { cardWords } from '../words/cards.js';

/** The meaning of a typed line. Only a line with exactly one known word approves; an unknown line decides nothing (A17). */
export type CardAnswer =
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'approve'; readonly scope: 'once' | 'session' }
  /** Shows the rule, which needs its own confirmation. */
  | { readonly kind: 'rule' }
  | { readonly kind: 'edit' }
  /** Edits the call, so that it may reach the hosts that it tried (A53.9). */
  | { readonly kind: 'hosts' }
  | { readonly kind: 'more' }
  | { readonly kind: 'reveal' }
  | { readonly kind: 'next' };

export interface Offers {
  /** Whether part of the call has not been shown yet. */
  readonly isCut: boolean;
  /** Whether other calls are waiting too. */
  readonly hasOthers: boolean;
  /** Whether the call contains masked secrets. */
  readonly isMasked: boolean;
  /** Hosts that the call tried to reach, and that can be allowed for it. */
  readonly hosts: readonly string[];
}

export function readAnswer(
  line: string,
  approval: Pick<ApprovalView, 'options' | 'needs' | 'session'>,
  offers: Offers,
): CardAnswer {
  const { options } = approval;
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
  // The person has not seen the whole call.
  if (offers.isCut) return unknown;
  switch (text.toLowerCase()) {
    case 'o':
    case 'once':
      return options.includes('approve_once') ? { kind: 'approve', scope: 'once' } : unknown;
    case 'c':
    case 'chat':
      return chatPattern(approval) !== undefined ? { kind: 'approve', scope: 'session' } : unknown;
    case 'a':
    case 'always':
      return options.includes('approve_always') ? { kind: 'rule' } : unknown;
    case 'e':
    case 'edit':
      return mayEdit(approval) ? { kind: 'edit' } : unknown;
    case 'h':
    case 'host':
      return offers.hosts.length > 0 ? { kind: 'hosts' } : unknown;
    default:
      return unknown;
  }
}

/** Only the choices that would take effect (A2). Deny comes first. */
export function describeChoices(
  approval: Pick<ApprovalView, 'options' | 'toolName' | 'session' | 'proposedRule' | 'needs'>,
  agentName: string,
  { isCut, hasOthers, isMasked, hosts }: Offers,
): string[] {
  const { options, toolName, session, proposedRule } = approval;
  const pattern = chatPattern(approval);
  const signs = [
    ...(options.includes('approve_once') ? [cardWords.once] : []),
    ...(pattern === undefined ? [] : [cardWords.session(chatScopeText(toolName, pattern, session?.folder), agentName)]),
    ...(options.includes('approve_always') ? [cardWords.always(proposedRule ?? '')] : []),
    ...(mayEdit(approval) ? [cardWords.edit] : []),
    ...(hosts.length > 0 ? [cardWords.hosts(hosts)] : []),
  ];
  return [
    cardWords.deny,
    ...(isCut ? (options.includes('approve_once') ? [cardWords.onceAfterMore] : []) : signs),
    cardWords.more,
    ...(isMasked ? [cardWords.reveal] : []),
    ...(hasOthers ? [cardWords.next] : []),
  ];
}
