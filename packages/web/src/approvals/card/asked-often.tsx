import type { ApprovalView } from '@countersign/client';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useSuggestedRules } from '../../data/use-suggested-rules.js';
import { paths } from '../../shell/paths.js';
import { approvalWords } from '../../words/approvals.js';

/** From this time on, the card says that the same question came before. */
const OFTEN = 5;

/** One quiet line after the call, once a proven rule would have answered this question often (RULE13). */
export function AskedOften({ worldId, approval }: { worldId: string; approval: ApprovalView }): ReactElement | null {
  const { approvalId, proposedRule } = approval;
  const suggested = useSuggestedRules(worldId, approvalId, proposedRule !== undefined);
  const items = suggested.kind === 'ready' ? suggested.data : [];
  const found = items.find(({ rule, saves }) => rule === proposedRule && saves >= OFTEN);
  if (found === undefined) return null;
  return (
    <p className="px-3 pb-3 text-[0.8125rem] text-ink-3">
      {approvalWords.askedOften(found.saves)}{' '}
      <Link href={paths.page(worldId, 'policy')} className="text-blue underline">
        {approvalWords.seeRule}
      </Link>
    </p>
  );
}
