import type { RevealedCall } from '@countersign/protocol';
import type { ApprovalView } from '../state.js';

/** A card with nothing masked (A15). A preview is masked for good, so the arguments are shown instead of it. */
export function revealedView(approval: ApprovalView, revealed: Pick<RevealedCall, 'arguments'>): ApprovalView {
  const { preview: _masked, ...rest } = approval;
  return { ...rest, arguments: revealed.arguments };
}
