import { coveredLines, grantMatch, type Answer, type ApprovalView } from '@countersign/client';
import type { CoveredCall, PolicyMatch } from '@countersign/protocol';
import { fieldOf } from '../keys/field.js';
import { SMALLEST } from '../layout/areas.js';
import { wrapExact } from '../../text/spans.js';
import type { CardUi, Choice, Covered } from '../ui-state.js';

/** The query for other calls that this answer would cover, to send before the answer. Undefined if it covers only its own call. */
export function matchOf(approval: ApprovalView, answer: Answer): PolicyMatch | undefined {
  if (answer.decision !== 'approve') return undefined;
  if (answer.scope === 'session') return grantMatch(approval, answer.pattern);
  const rule = answer.scope === 'always' ? (answer.rule ?? approval.proposedRule) : undefined;
  return rule === undefined ? undefined : { chatId: approval.chatId, rule };
}

/** Rows of covered calls per page: few enough to fit on the smallest screen. */
const PAGE = 6;
const ROW_WIDTH = SMALLEST.columns - 6;

/** The visible rows, and whether they include the last one. */
export function coveredPage({ rows, from }: Covered): { rows: readonly string[]; isLast: boolean } {
  return { rows: rows.slice(from, from + PAGE), isLast: from + PAGE >= rows.length };
}

/**
 * An answer that runs other waiting calls is sent only after all of them have been shown (CALL5). Otherwise, the next page is shown and Enter must
 * be pressed again. Undefined if the answer may be sent.
 */
export function holdCovered(
  card: CardUi,
  approval: ApprovalView,
  answer: Answer,
  waiting: readonly CoveredCall[],
  now: number,
): CardUi | undefined {
  const calls = coveredLines(waiting, approval);
  const key = JSON.stringify([approval.approvalId, answer, calls]);
  const rows = calls
    .flat()
    .flatMap((line) => wrapExact(line, ROW_WIDTH).map((row, index) => (index === 0 ? row : `  ${row}`)));
  const from = card.covered?.key === key ? card.covered.from + PAGE : 0;
  if (from >= rows.length) return undefined;
  const sending = new Set([...card.sending].filter((id) => id !== approval.approvalId));
  if (card.current.kind === 'none' || card.current.id !== approval.approvalId) return { ...card, sending };
  // A repeated key must not approve calls that have just appeared.
  return {
    ...card,
    sending,
    choice: choiceOf(answer),
    covered: { key, count: calls.length, rows, from },
    shownAt: now,
  };
}

function choiceOf(answer: Answer): Choice {
  if (answer.decision !== 'approve') return { kind: 'none' };
  if (answer.scope === 'session') return { kind: 'session', isNarrow: answer.pattern !== '*' };
  return answer.scope === 'always' ? { kind: 'always', field: fieldOf(answer.rule ?? '') } : { kind: 'none' };
}
