import { chatPattern, chatScopeText, hostsToAllow, type ApprovalView } from '@countersign/client';
import { actionFor, CARD_KEYS, type CardAction } from '../card/card-keys.js';
import { cardWords } from '../words/cards.js';

/** The meaning of a typed line. Only a line with exactly one known word approves; an unknown line decides nothing (CALL15). */
type CardAnswer =
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: Exclude<CardAction, 'deny'> };

export function readAnswer(line: string, offered: readonly CardAction[]): CardAnswer {
  const text = line.trim();
  const [word = '', ...rest] = text.split(/\s+/);
  const action = actionFor(text.toLowerCase(), offered);
  if (action !== undefined && action !== 'deny') return { kind: action };
  if (text === '' || /^(d|deny|n|no)$/i.test(word))
    return { kind: 'deny', reason: rest.length === 0 ? cardWords.noReason : rest.join(' ') };
  return { kind: 'unknown' };
}

/** Only the choices that would take effect (CALL2). */
export function describeChoices(
  approval: ApprovalView,
  agentName: string,
  { offered, isCut }: { offered: readonly CardAction[]; isCut: boolean },
): string[] {
  return offered.flatMap((action) => {
    const line = `${CARD_KEYS[action][0]}: ${choiceText(action, approval, agentName)}`;
    const isLater = action === 'deny' && isCut && approval.options.includes('approve_once');
    return isLater ? [line, cardWords.onceAfterMore] : [line];
  });
}

function choiceText(action: CardAction, approval: ApprovalView, agentName: string): string {
  const { toolName, session, proposedRule = '' } = approval;
  switch (action) {
    case 'session':
      return cardWords.session(chatScopeText(toolName, chatPattern(approval) ?? '*', session?.folder), agentName);
    case 'always':
      return cardWords.always(proposedRule);
    case 'hosts':
      return cardWords.hosts(hostsToAllow(approval));
    case 'deny':
    case 'answer':
    case 'once':
    case 'edit':
    case 'more':
    case 'reveal':
    case 'next':
      return cardWords[action];
  }
}
