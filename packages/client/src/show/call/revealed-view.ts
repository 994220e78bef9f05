import type { RevealedCall } from '@countersign/protocol';
import type { ApprovalView } from '../../state/state.js';

/** An unmasked card (SAFE6). Previews stay masked, so the arguments are shown instead. */
export function revealedView(approval: ApprovalView, revealed: Pick<RevealedCall, 'arguments'>): ApprovalView {
  const { preview: _masked, ...rest } = approval;
  return { ...rest, arguments: revealed.arguments };
}
