import { type ApprovalView, maskedCount } from '@countersign/client';
import { t } from '../words/approvals.js';

/** Placeholders are explained only where one is to be seen. */
export function editHint({ arguments: args }: Pick<ApprovalView, 'arguments'>): string {
  return maskedCount(JSON.stringify(args)) === 0 ? t.editHint : `${t.editHint} ${t.editMaskHint}`;
}
