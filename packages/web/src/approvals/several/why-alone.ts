import { needsPasskey } from '@countersign/client';
import { approvalWords } from '../../words/approvals.js';
import type { InboxItem } from '../inbox/use-inbox.js';

/** Why a call can't be decided together with others. Undefined if it can. */
export function whyAlone({ approval }: Pick<InboxItem, 'approval'>): string | undefined {
  if (approval.question !== undefined) return approvalWords.several.isQuestion;
  return needsPasskey(approval.needs) ? approvalWords.several.needsPasskey : undefined;
}
