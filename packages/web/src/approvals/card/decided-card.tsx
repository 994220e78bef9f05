import { type ApprovalView, callLine, decisionStory } from '@countersign/client';
import type { ReactElement } from 'react';
import { Avatar } from '../../ui/avatar.js';
import { Button } from '../../ui/button.js';
import { SignatureLine } from '../../ui/signature.js';
import { useNow } from '../../text/time.js';
import { Visible } from '../../text/visible.js';
import { approvalWords } from '../../words/approvals.js';

/** A decided card, collapsed, with the name of the person who decided. It stays in place until the person continues. */
export function DecidedCard({
  approval,
  agentName,
  me,
  onNext,
  nextWords,
}: {
  approval: ApprovalView;
  agentName: string;
  me?: string | undefined;
  onNext?: (() => void) | undefined;
  nextWords?: string;
}): ReactElement {
  const now = useNow();
  const { decision } = approval;
  return (
    <section
      aria-label={approvalWords.decided(approval.toolName)}
      className="space-y-2 rounded-lg border border-line bg-surface px-3.5 py-2.5"
    >
      <p className="flex items-center gap-2 text-sm">
        <Avatar id={approval.agentId} name={agentName} small />
        <code className="min-w-0 flex-1 truncate">
          <Visible text={callLine(approval.toolName, approval.arguments)} strict />
        </code>
      </p>
      <SignatureLine signed={decision?.outcome === 'approved' || decision?.outcome === 'answered'}>
        <Visible text={decision === undefined ? approvalWords.decidedElsewhere : decisionStory(decision, now, me)} />
      </SignatureLine>
      {onNext === undefined ? null : (
        <Button size="small" onClick={onNext}>
          {nextWords ?? approvalWords.next}
        </Button>
      )}
    </section>
  );
}
