import { agentName, decisionStory, type ApprovalView } from '@countersign/client';
import { isArmed } from '../ui-state.js';
import { cardFoot, type CardState } from './card-lines.js';
import type { Scene } from './scene.js';
import { span, wrapWords, type Line } from './spans.js';

/** What stands under a card: what can be chosen, or how it was decided. */
export function cardFootOf(scene: Scene, approval: ApprovalView, width: number, isCut: boolean): Line[] {
  const { ui, world, now, me } = scene;
  const { current, choice, sending } = ui.card;
  const isFocused = ui.focus === 'card';
  if (current.kind === 'held') {
    const story =
      approval.decision === undefined ? 'It waits no longer.' : `✍ ${decisionStory(approval.decision, now, me)}.`;
    return [
      ...wrapWords(story, width - 2).map((line): Line => [{ text: ' ' }, span(line, { bold: true })]),
      [span(isFocused ? ' Enter goes on.' : ' Tab or Ctrl-G brings you here; Enter then goes on.', { dim: true })],
    ];
  }
  const state: CardState = {
    approval,
    agent: agentName(world, approval.agentId),
    choice,
    isFocused,
    isArmed: isArmed(ui.card, now),
    isSending: sending.has(approval.approvalId),
    hasOthers: world.queue.length > 1,
    isCut,
    isSeen: ui.card.isSeen,
  };
  return cardFoot(state, width);
}
