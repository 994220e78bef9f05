import { type ApprovalView, maskedCount } from '@countersign/client';
import { approvalWords } from '../../words/approvals.js';

/** Explains placeholders only if there is one. */
export function editHint({ arguments: args }: Pick<ApprovalView, 'arguments'>): string {
  return maskedCount(JSON.stringify(args)) === 0
    ? approvalWords.editHint
    : `${approvalWords.editHint} ${approvalWords.editMaskHint}`;
}
