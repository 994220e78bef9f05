import { agentName } from '../../state/selectors.js';
import type { ApprovalView, ChatState } from '../../state/state.js';

/** Why a message has not been answered yet (WORLD11). Names the waiting agents, because others may answer in the meantime. */
export function heldText(state: Pick<ChatState, 'agents'>, held: readonly Pick<ApprovalView, 'agentId'>[]): string {
  const names = [...new Set(held.map(({ agentId }) => agentName(state, agentId)))];
  const last = names.at(-1) ?? '';
  const all = names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
  return `${all} can't answer until you decide on the waiting calls.`;
}
