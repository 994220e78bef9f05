import { changeEntries, ClientError, type ApprovalView } from '@countersign/client';
import { changeWords } from '../../words/change.js';
import type { ReviewUi } from '../ui-state.js';
import type { EffectHost } from './effect-host.js';

/** An approval has only the start of a long effect. */
export async function loadReview(host: EffectHost, approval: ApprovalView): Promise<void> {
  const { approvalId } = approval;
  try {
    const effect = await host.client.wholeEffect(host.worldId, approvalId);
    const entries = changeEntries({ ...approval, effect }) ?? [];
    const { review } = host.ui();
    const path = review.entries[review.at]?.path;
    const at = entries.findIndex((entry) => entry.path === path);
    show(host, approvalId, { entries, at: Math.max(0, at), isOpen: review.isOpen && at >= 0, note: '' });
  } catch (error) {
    const why = error instanceof ClientError ? error.detail : String(error);
    show(host, approvalId, { note: changeWords.notAll(why) });
  }
}

/** Unless the person has left it, or looks at another change. */
function show(host: EffectHost, approvalId: string, part: Partial<ReviewUi>): void {
  const ui = host.ui();
  if (ui.overlay !== 'review' || ui.review.approvalId !== approvalId) return;
  host.show({ ...ui, review: { ...ui.review, ...part } });
}
