import { approvalsForYou, waitingCount, type ChatState, type Connection, type WorldState } from '@countersign/client';
import type { UiState } from '../ui-state.js';
import type { Scene } from './scene.js';
import { proseSpan, span, spread, type Line } from '../../text/spans.js';
import { screenWords } from '../../words/screen.js';

/** Title and state of the chat. */
export function headLine({ ui, world, chat }: Scene, width: number, hasSide: boolean): Line {
  const known = world.chats.find(({ id }) => id === ui.chatId);
  const title = ui.chatId === undefined ? screenWords.newChat : (chat?.title ?? known?.title ?? '');
  const place: Line = hasSide
    ? []
    : [span(` ◈ ${world.world?.name ?? world.worldId}`, { bold: true }), span(' ·', { dim: true })];
  const left: Line = [...place, proseSpan(` ${title === '' ? screenWords.newChat : title}`, { bold: hasSide })];
  return spread(left, statusSpans(chat, world, ui), width);
}

function statusSpans(chat: ChatState | undefined, world: WorldState, ui: UiState): Line {
  const status = ui.chatId === undefined ? 'idle' : (chat?.status ?? 'idle');
  const mine = approvalsForYou(world);
  const elsewhere = mine.filter(({ chatId }) => chatId !== ui.chatId).length;
  const isForOthers = chat !== undefined && chat.queue.length > 0 && approvalsForYou(chat).length === 0;
  const more = elsewhere === 0 ? '' : screenWords.elsewhere(waitingCount(elsewhere, world));
  const other = span(more, { colour: 'waiting' });
  switch (status) {
    case 'idle':
      return [span('○ idle', { dim: true }), other, { text: ' ' }];
    case 'working':
      return [
        span(screenWords.working, { colour: 'do' }),
        span(screenWords.stopHint, { dim: true }),
        other,
        { text: ' ' },
      ];
    case 'waiting':
      return isForOthers
        ? [span(screenWords.waitingForOthers, { dim: true }), other, { text: ' ' }]
        : [span(screenWords.waiting, { colour: 'waiting' }), other, { text: ' ' }];
  }
}

/** The state of the connection. Undefined if it is fine. */
export function bannerOf({ ui, world, chat }: Scene): Line | undefined {
  const connection: Connection = world.connection;
  const failed =
    world.loading.kind === 'failed'
      ? world.loading.why
      : chat?.loading.kind === 'failed'
        ? chat.loading.why
        : undefined;
  if (world.deleted) return [span(screenWords.deleted, { colour: 'bad' })];
  if (connection.kind === 'reconnecting')
    return [span(screenWords.reconnecting(ui.unsent.length), { colour: 'waiting', bold: true })];
  if (connection.kind === 'closed' && connection.why !== undefined)
    return [span(` ✗ ${connection.why}`, { colour: 'bad' })];
  return failed === undefined ? undefined : [span(` ✗ ${failed}`, { colour: 'bad' })];
}
