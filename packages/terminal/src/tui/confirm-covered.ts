import { coveredLines, grantMatch, type Answer, type ApprovalView } from '@countersign/client';
import type { CoveredCall, PolicyMatch } from '@countersign/protocol';
import { fieldOf } from './keys/field.js';
import type { CardUi, Choice, Covered } from './ui-state.js';

/** What to ask the server before this answer is sent. Undefined: it is about its own call alone. */
export function matchOf(approval: ApprovalView, answer: Answer): PolicyMatch | undefined {
  if (answer.decision !== 'approve') return undefined;
  if (answer.scope === 'session') return grantMatch(approval, answer.pattern);
  const rule = answer.scope === 'always' ? (answer.rule ?? approval.proposedRule) : undefined;
  return rule === undefined ? undefined : { chatId: approval.chatId, rule };
}

/** As many covered calls are shown at a time. */
const PAGE = 6;

/** Those on the screen now. */
export function coveredPage({ lines, from }: Covered): readonly string[] {
  return lines.slice(from, from + PAGE);
}

/**
 * An answer that lets other waiting calls run is sent only when exactly those were on the screen, all of them (A5). Otherwise the next
 * ones are shown, the choice is as before, and the card has to be signed once more. Undefined: it may be sent.
 */
export function holdCovered(
  card: CardUi,
  approval: ApprovalView,
  answer: Answer,
  waiting: readonly CoveredCall[],
  now: number,
): CardUi | undefined {
  const lines = coveredLines(waiting, approval);
  const key = JSON.stringify([approval.approvalId, answer, lines]);
  const shown = card.covered?.key === key ? card.covered.from + PAGE : 0;
  if (shown >= lines.length) return undefined;
  const sending = new Set([...card.sending].filter((id) => id !== approval.approvalId));
  if (card.current.kind === 'none' || card.current.id !== approval.approvalId) return { ...card, sending };
  // A repeated key must not sign what has just come up.
  return { ...card, sending, choice: choiceOf(answer), covered: { key, lines, from: shown }, shownAt: now };
}

function choiceOf(answer: Answer): Choice {
  if (answer.decision !== 'approve') return { kind: 'none' };
  if (answer.scope === 'session') return { kind: 'session', isNarrow: answer.pattern !== undefined };
  return answer.scope === 'always' ? { kind: 'always', field: fieldOf(answer.rule ?? '') } : { kind: 'none' };
}
