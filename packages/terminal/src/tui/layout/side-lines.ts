import { agentInitials, approvalsForYou, workers, type ChatState, type WorldState } from '@countersign/client';
import { colourOf } from '../transcript/message-lines.js';
import { cut, cutProse, padLine, proseSpan, span, spread, type Line } from '../../text/spans.js';
import { screenWords } from '../../words/screen.js';

interface SideState {
  readonly world: WorldState;
  readonly chat: ChatState | undefined;
  readonly chatId: string | undefined;
  readonly picked: number;
  readonly isFocused: boolean;
}

type AgentDoing = 'idle' | 'working' | 'waiting';

const DOING: Readonly<Record<AgentDoing, Line>> = {
  idle: [span('○ idle', { dim: true })],
  working: [span('● working', { colour: 'do' })],
  waiting: [span('⏳ waiting', { colour: 'waiting' })],
};

/** The world, its chats and its agents. */
export function sideLines(
  { world, chat, chatId, picked, isFocused }: SideState,
  width: number,
  height: number,
): Line[] {
  const agents = agentLines(world, chat, width);
  const agentRoom = Math.min(agents.length, Math.max(2, Math.floor(height / 2) - 2));
  const chatRoom = Math.max(1, height - agentRoom - 5);
  const rows: Line[] = [
    [
      span(isRow(picked, 0, isFocused) ? '›' : ' ', { colour: 'do' }),
      span(` + ${screenWords.newChat}`, look(isRow(picked, 0, isFocused), chatId === undefined)),
    ],
    ...world.chats.map((each, index): Line => {
      const isPicked = isRow(picked, index + 1, isFocused);
      const title = each.title === '' ? screenWords.newChat : each.title;
      const left: Line = [
        span(isPicked ? '›' : ' ', { colour: 'do' }),
        proseSpan(` ${cutProse(title, width)}`, look(isPicked, each.id === chatId)),
      ];
      return spread(left, chatMark(each.status, each.waiting), width);
    }),
  ];
  const around = isFocused ? picked : world.chats.findIndex(({ id }) => id === chatId) + 1;
  const from = Math.max(0, Math.min(around - Math.floor(chatRoom / 2), rows.length - chatRoom));
  const lines: Line[] = [
    [span(' ◈ ', { colour: 'do' }), span(world.world?.name ?? world.worldId, { bold: true })],
    [],
    ...rows.slice(from, from + chatRoom),
    [],
    [span(' Agents', { dim: true })],
    ...agents.slice(0, agentRoom),
  ];
  return lines.slice(0, height).map((line) => padLine(line, width));
}

/** The state of an agent, from this chat and the queue. */
function doingOf(world: WorldState, chat: ChatState | undefined, agentId: string): AgentDoing {
  if (approvalsForYou(world).some((approval) => approval.agentId === agentId)) return 'waiting';
  const worker = chat === undefined ? undefined : workers(chat).find((each) => each.agentId === agentId);
  if (worker === undefined) return 'idle';
  return worker.doing === 'waiting' ? 'waiting' : 'working';
}

function agentLines(world: WorldState, chat: ChatState | undefined, width: number): Line[] {
  return world.agents.map(({ id, name, active }) => {
    const colour = colourOf(id);
    const letters = agentInitials(name);
    const left: Line = [
      { text: ' ' },
      span(cut(letters, 2), { colour, inverse: true }),
      span(letters.length < 2 ? `  ${name}` : ` ${name}`, { colour }),
    ];
    return spread(
      left,
      active ? [...DOING[doingOf(world, chat, id)], { text: ' ' }] : [span('off ', { dim: true })],
      width,
    );
  });
}

function chatMark(status: ChatState['status'], waiting: number): Line {
  if (waiting > 0) return [span(`⏳ ${waiting} `, { colour: 'waiting' })];
  // Its call is beyond the loaded part of the queue.
  if (status === 'waiting') return [span('⏳ ', { colour: 'waiting' })];
  return status === 'working' ? [span('● ', { colour: 'do' })] : [{ text: ' ' }];
}

function isRow(picked: number, index: number, isFocused: boolean): boolean {
  return isFocused && picked === index;
}

function look(isPicked: boolean, isOpen: boolean): { inverse?: boolean; bold?: boolean } {
  return isPicked ? { inverse: true } : { bold: isOpen };
}
