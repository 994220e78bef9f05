import {
  agentName,
  agoText,
  callLine,
  isForYou,
  placeInQueue,
  secondsText,
  wantsTo,
  type ApprovalView,
} from '@countersign/client';
import { isCompact } from '../layout/areas.js';
import { colourOf } from '../transcript/message-lines.js';
import type { Plan } from '../layout/plan.js';
import { fill, rule } from '../layout/rule.js';
import type { Scene } from '../layout/scene.js';
import { cut, span, spread, type Line } from '../../text/spans.js';
import { screenWords } from '../../words/screen.js';

/** The card. On a short screen, it is only a bar until it is focused. */
export function cardLines(scene: Scene, plan: Plan): Line[] {
  const { ui, world, size, now } = scene;
  const { areas, approval, body, foot } = plan;
  if (areas.card === 0) return [];
  const isFocused = ui.focus === 'card';
  if (approval === undefined) {
    const gone = span(screenWords.decidedElsewhere, { bold: true, inverse: isFocused });
    return fill([rule(areas.width, [gone]), ...foot], areas.card);
  }
  const place = placeInQueue(world, approval.approvalId);
  const count = place === undefined ? '' : ` · ${place.position} of ${place.total}`;
  const name = agentName(world, approval.agentId);
  const verb = approval.question === undefined ? wantsTo(approval) : 'asks';
  const held = ui.card.current.kind === 'held';
  const isYours = isForYou(approval, world.me);
  const title = span(held ? overTitle(approval) : isYours ? screenWords.card(count) : screenWords.cardForOthers, {
    colour: held || !isYours ? undefined : 'waiting',
    bold: true,
    inverse: isFocused,
  });
  const chat = world.chats.find(({ id }) => id === approval.chatId);
  const elsewhere =
    approval.chatId === ui.chatId ? '' : screenWords.inChat(cut(chat?.title ?? screenWords.anotherChat, 24));
  const expiry: Line =
    approval.expiresAt === undefined || held
      ? []
      : [span(screenWords.expires(secondsText(Date.parse(approval.expiresAt) - now)), { colour: 'waiting' })];
  const head = rule(
    areas.width,
    [title],
    [span(` ${elsewhere}asked ${agoText(approval.requestedAt, now)} `, { dim: true }), ...expiry],
  );
  const who: Line = [span(` ${name}`, { colour: colourOf(approval.agentId), bold: true }), span(` ${verb}`)];
  if (!isFocused && isCompact(size)) {
    const summary = approval.question?.text ?? callLine(approval.toolName, approval.arguments);
    const hint = span(screenWords.look, { dim: true });
    return [head, spread([...who, span(`: ${cut(summary, areas.width)}`)], [hint], areas.width)];
  }
  const shown = [who, ...body];
  const room = areas.cardBody;
  const scroll = Math.min(ui.card.scroll, Math.max(0, shown.length - room));
  const visible = fill(shown.slice(scroll, scroll + room), room);
  const below = shown.length - scroll - room;
  if (below > 0 && room > 0) visible[room - 1] = moreLine(below + 1, isFocused);
  return [head, ...visible, ...foot].slice(0, areas.card);
}

/** Says that there is more: nobody should approve a command without seeing its end. */
function moreLine(count: number, isFocused: boolean): Line {
  return [span(screenWords.moreLines(count, isFocused ? ' · PgDn' : ''), { colour: 'waiting', bold: true })];
}

/** The title of a decided card. A released call was decided by a grant or rule, perhaps from the same person. */
function overTitle({ decision }: ApprovalView): string {
  if (decision?.outcome === 'superseded') return screenWords.needsApprovalAgain;
  return decision?.released === undefined ? screenWords.decidedElsewhere : screenWords.allowed;
}
