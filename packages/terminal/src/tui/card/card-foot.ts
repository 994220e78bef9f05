import { agentName, decisionStory, yourPart, type ApprovalView } from '@countersign/client';
import { isArmed } from '../ui-state.js';
import { cardFoot, type CardState } from './choice-lines.js';
import type { Scene } from '../layout/scene.js';
import { span, wrapWords, type Line } from '../../text/spans.js';
import { screenWords } from '../../words/screen.js';

/** For a card that is gone after a reload: without a note, it would disappear unnoticed. */
export function goneFoot({ ui }: Scene, width: number): Line[] {
  return ui.card.current.kind === 'held' ? heldFoot(screenWords.decidedElsewhereFoot, width, ui.focus === 'card') : [];
}

function heldFoot(story: string, width: number, isFocused: boolean): Line[] {
  return [
    ...wrapWords(story, width - 2).map((line): Line => [{ text: ' ' }, span(line, { bold: true })]),
    [span(isFocused ? screenWords.continue : screenWords.continueHere, { dim: true })],
  ];
}

/** The foot of a card: its choices, or the decision. */
export function cardFootOf(scene: Scene, approval: ApprovalView, width: number, isCut: boolean): Line[] {
  const { ui, world, now, me } = scene;
  const { current, choice, sending } = ui.card;
  const isFocused = ui.focus === 'card';
  if (current.kind === 'held') {
    const story =
      approval.decision === undefined
        ? screenWords.noLongerWaits
        : screenWords.decision(decisionStory(approval.decision, now, me));
    return heldFoot(story, width, isFocused);
  }
  const state: CardState = {
    approval,
    agent: agentName(world, approval.agentId),
    part: yourPart(approval, world.me),
    choice,
    isFocused,
    isArmed: isArmed(ui.card, now),
    isSending: sending.has(approval.approvalId),
    hasOthers: world.queue.length > 1,
    isCut,
    isSeen: ui.card.isSeen,
    covered: ui.card.covered,
  };
  return cardFoot(state, width);
}
