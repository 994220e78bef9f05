import {
  agentName,
  get,
  placeInQueue,
  type ApprovalView,
  type ChatState,
  type Connection,
  type WorldState,
} from '@countersign/client';
import { matching, mentionAt } from '../keys/mention.js';
import { isArmed, type UiState } from '../ui-state.js';
import { areasOf, isCompact, isTooSmall, SMALLEST, type Areas, type Size } from './areas.js';
import { cardBody, cardFoot, type CardState } from './card-lines.js';
import { callLine } from './describe-call.js';
import { fieldHeight, fieldLines } from './field-lines.js';
import { helpLines } from './help-lines.js';
import { colourOf } from './message-lines.js';
import { sideLines } from './side-lines.js';
import { cut, lineWidth, padLine, span, spread, wrapWords, type Line } from './spans.js';
import { transcriptBlocks, type Measured } from './transcript-blocks.js';
import { scrollBy, scrollToTop, windowOf, type Blocks, type Scroll } from './transcript-window.js';
import { agoWords, decisionStory, verbFor } from './words.js';

/** Everything that is on the screen. */
export interface Scene {
  readonly ui: UiState;
  readonly world: WorldState;
  readonly chat: ChatState | undefined;
  readonly size: Size;
  readonly now: number;
  readonly suggestions: readonly string[];
  readonly measured: Measured;
}

/** How much room each part has, and what is in the two that are scrolled. */
export interface Plan {
  readonly areas: Areas;
  readonly blocks: Blocks | undefined;
  readonly approval: ApprovalView | undefined;
  readonly body: readonly Line[];
  readonly foot: readonly Line[];
}

const PROMPT = 3;

export function planOf(scene: Scene): Plan {
  const { ui, world, chat, size } = scene;
  const guess = areasOf(size, { hasBanner: false, hasCompletion: false, composer: 1 });
  const { current } = ui.card;
  const approval = current.kind === 'none' ? undefined : get(world.approvals, current.id);
  const body = approval === undefined ? [] : cardBody(approval, guess.width);
  const foot = approval === undefined ? [] : footOf(scene, approval, guess.width);
  const areas = areasOf(size, {
    hasBanner: bannerOf(scene) !== undefined,
    hasCompletion: completions(scene).length > 0,
    composer: fieldHeight(ui.composer, guess.width - PROMPT - 1, 6),
    ...(approval === undefined
      ? {}
      : { card: { body: body.length + 1, foot: foot.length, isFocused: ui.focus === 'card' } }),
  });
  const blocks =
    chat === undefined
      ? undefined
      : transcriptBlocks(chat, scene.measured, { width: areas.width, isWide: ui.isWide, now: scene.now });
  return { areas, blocks, approval, body, foot };
}

/** How the transcript is scrolled, for whoever reads keys. */
export function transcriptOf({ areas, blocks }: Plan): {
  height: number;
  by: (scroll: Scroll, delta: number) => Scroll;
  top: () => Scroll;
} {
  const height = areas.transcript;
  return {
    height,
    by: (scroll, delta) => (blocks === undefined ? scroll : scrollBy(blocks, scroll, delta, height)),
    top: () => (blocks === undefined ? { kind: 'end' } : scrollToTop(blocks, height)),
  };
}

/** The whole screen: as many lines as it has rows, each as wide as it is. */
export function frameOf(scene: Scene, plan: Plan): Line[] {
  const { size, ui, world, chat } = scene;
  if (isTooSmall(size)) return tooSmall(size);
  const { areas } = plan;
  const isSideAlone = ui.isSideOpen && areas.side === 0;
  const width = areas.width;
  const middle =
    ui.overlay === 'help'
      ? fill(helpLines(), middleHeight(areas))
      : [...transcriptLines(scene, plan), ...cardLines(scene, plan)];
  const isSideFocused = ui.focus === 'chats';
  const side = (sideWidth: number, height: number): Line[] =>
    sideLines({ world, chat, chatId: ui.chatId, picked: ui.pickedChat, isFocused: isSideFocused }, sideWidth, height);
  const banner = bannerOf(scene);
  const main: Line[] = [
    headLine(scene, width, areas.side > 0),
    ruleLine(scene, plan, width),
    ...(banner === undefined ? [] : [banner]),
    ...(isSideAlone ? fill(side(width, middleHeight(areas)), middleHeight(areas)) : middle),
    ...composerLines(scene, areas),
    footLine(scene, width),
  ];
  if (areas.side === 0) return main.map((line) => padLine(line, size.columns));
  const left = fill(side(areas.side, size.rows), size.rows);
  return main.map((line, row) => [
    ...padLine(left[row] ?? [], areas.side),
    span('│', { dim: true }),
    ...padLine(line, width),
  ]);
}

function middleHeight({ transcript, card }: Areas): number {
  return transcript + card;
}

function tooSmall({ columns, rows }: Size): Line[] {
  const words = `This terminal is too small: ${columns}×${rows}. It needs ${SMALLEST.columns}×${SMALLEST.rows}. Ctrl-C leaves.`;
  return fill(
    wrapWords(words, columns).map((line) => [span(line)]),
    rows,
  ).map((line) => padLine(line, columns));
}

function fill(lines: readonly Line[], height: number): Line[] {
  return Array.from({ length: Math.max(0, height) }, (_, index) => lines[index] ?? []);
}

function headLine({ ui, world, chat }: Scene, width: number, hasSide: boolean): Line {
  const known = world.chats.find(({ id }) => id === ui.chatId);
  const title = ui.chatId === undefined ? 'New chat' : (chat?.title ?? known?.title ?? '');
  const place: Line = hasSide
    ? []
    : [span(` ◈ ${world.world?.name ?? world.worldId}`, { bold: true }), span(' ·', { dim: true })];
  const left: Line = [...place, span(` ${title === '' ? 'New chat' : title}`, { bold: hasSide })];
  return spread(left, statusSpans(chat, world, ui), width);
}

function statusSpans(chat: ChatState | undefined, world: WorldState, ui: UiState): Line {
  const status = ui.chatId === undefined ? 'idle' : (chat?.status ?? 'idle');
  const elsewhere = world.queue.filter((id) => get(world.approvals, id)?.chatId !== ui.chatId).length;
  const more = elsewhere === 0 ? '' : `  ⏳ ${elsewhere} in other chats`;
  const other = span(more, { colour: 'waiting' });
  switch (status) {
    case 'idle':
      return [span('○ idle', { dim: true }), other, { text: ' ' }];
    case 'working':
      return [span('● working', { colour: 'do' }), span(' · Ctrl-X stops', { dim: true }), other, { text: ' ' }];
    case 'waiting':
      return [span('⏳ waiting for you', { colour: 'waiting' }), other, { text: ' ' }];
  }
}

function rule(width: number, left: Line = [], right: Line = []): Line {
  const taken = lineWidth(left) + lineWidth(right);
  return [
    span('─', { dim: true }),
    ...left,
    span('─'.repeat(Math.max(0, width - taken - 2)), { dim: true }),
    ...right,
    span('─', { dim: true }),
  ];
}

function ruleLine({ ui, chat }: Scene, { blocks, areas }: Plan, width: number): Line {
  if (blocks === undefined || chat === undefined || ui.overlay === 'help') return rule(width);
  const { atEnd, first } = windowOf(blocks, ui.scroll, areas.transcript);
  const isHere = ui.focus === 'transcript';
  const left: Line = isHere ? [span(' Transcript ', { colour: 'do', bold: true })] : [];
  if (atEnd) return rule(width, left);
  const earlier = chat.older.kind === 'none' ? '' : ' and earlier ones';
  return rule(width, left, [
    span(` message ${first + 1} of ${blocks.count}${earlier} · End goes down `, { dim: true }),
  ]);
}

function bannerOf({ world, chat }: Scene): Line | undefined {
  const connection: Connection = world.connection;
  const failed =
    world.loading.kind === 'failed'
      ? world.loading.why
      : chat?.loading.kind === 'failed'
        ? chat.loading.why
        : undefined;
  if (world.deleted) return [span(' This world was deleted.', { colour: 'bad' })];
  if (connection.kind === 'reconnecting')
    return [span(' ⟳ Reconnecting… nothing is lost', { colour: 'waiting', bold: true })];
  if (connection.kind === 'closed' && connection.why !== undefined)
    return [span(` ✗ ${connection.why}`, { colour: 'bad' })];
  return failed === undefined ? undefined : [span(` ✗ ${failed}`, { colour: 'bad' })];
}

function transcriptLines(scene: Scene, { blocks, areas }: Plan): Line[] {
  const { ui, chat, world, suggestions } = scene;
  if (blocks === undefined || (chat?.loading.kind === 'ready' && blocks.count === 0)) {
    return fill(emptyLines(world, suggestions), areas.transcript);
  }
  if (chat?.loading.kind === 'loading' && blocks.count === 0)
    return fill([[], [span(' Loading…', { dim: true })]], areas.transcript);
  return fill(windowOf(blocks, ui.scroll, areas.transcript).lines, areas.transcript);
}

function emptyLines(world: WorldState, suggestions: readonly string[]): Line[] {
  if (world.loading.kind === 'loading') return [[], [span(' Loading…', { dim: true })]];
  if (world.agents.length === 0) {
    return [[], [span(' No agent lives here yet. Make one with: countersign agents add', { dim: true })]];
  }
  return [
    [],
    [span(' Nothing was said yet. Agents propose; nothing runs until you countersign.')],
    [],
    ...(suggestions.length === 0 ? [] : [[span(' You could begin with (↓ fills it in):', { dim: true })]]),
    ...suggestions.map((text): Line => [span('   · ', { colour: 'do' }), span(text)]),
  ];
}

function footOf(scene: Scene, approval: ApprovalView, width: number): Line[] {
  const { ui, world, now } = scene;
  const { current, choice, sending } = ui.card;
  const isFocused = ui.focus === 'card';
  if (current.kind === 'held') {
    const story = approval.decision === undefined ? 'It waits no longer.' : `${decisionStory(approval.decision, now)}.`;
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
  };
  return cardFoot(state, width);
}

function cardLines(scene: Scene, plan: Plan): Line[] {
  const { ui, world, size, now } = scene;
  const { areas, approval, body, foot } = plan;
  if (approval === undefined || areas.card === 0) return [];
  const isFocused = ui.focus === 'card';
  const place = placeInQueue(world, approval.approvalId);
  const count = place === undefined ? '' : ` · ${place.position} of ${place.total}`;
  const name = agentName(world, approval.agentId);
  const verb = approval.question === undefined ? verbFor(approval.toolName) : 'asks';
  const held = ui.card.current.kind === 'held';
  const title = span(held ? ' Decided elsewhere ' : ` ⏳ Waiting for you${count} `, {
    colour: held ? undefined : 'waiting',
    bold: true,
    inverse: isFocused,
  });
  const chat = world.chats.find(({ id }) => id === approval.chatId);
  const elsewhere = approval.chatId === ui.chatId ? '' : `in “${cut(chat?.title ?? 'another chat', 24)}” · `;
  const head = rule(
    areas.width,
    [title],
    [span(` ${elsewhere}asked ${agoWords(approval.requestedAt, now)} `, { dim: true })],
  );
  const who: Line = [span(` ${name}`, { colour: colourOf(approval.agentId), bold: true }), span(` ${verb}`)];
  if (!isFocused && isCompact(size)) {
    const summary = approval.question?.text ?? callLine(approval.toolName, approval.arguments);
    const hint = span(' Ctrl-G to look ', { dim: true });
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

/** What is not seen is said: nobody must sign the end of a command without knowing that there is one. */
function moreLine(count: number, isFocused: boolean): Line {
  return [span(` ↓ ${count} more lines${isFocused ? ' · PgDn' : ''}`, { colour: 'waiting', bold: true })];
}

function completions({ ui, world }: Scene): readonly string[] {
  if (ui.focus !== 'composer') return [];
  const mention = mentionAt(ui.composer);
  return mention === undefined ? [] : matching(world.agents, mention.typed).map(({ name }) => name);
}

function composerLines(scene: Scene, areas: Areas): Line[] {
  const { ui } = scene;
  const isFocused = ui.focus === 'composer' && ui.overlay === 'none';
  const names = completions(scene).slice(0, 6);
  const lines = fieldLines(ui.composer, areas.width - PROMPT - 1, areas.composer, isFocused);
  const isEmpty = ui.composer.text === '';
  const hint = isEmpty
    ? [span(`${isFocused ? '' : ' '}Message ${nameOf(scene)}…  @ to address an agent`, { dim: true })]
    : [];
  return [
    rule(
      areas.width,
      isFocused ? [span(' Message ', { colour: 'do', bold: true })] : [span(' Message ', { dim: true })],
    ),
    ...(areas.completion === 0
      ? []
      : [
          [
            span('   Tab: ', { dim: true }),
            ...names.flatMap((name, index): Line => [span(`@${name} `, { bold: index === 0, dim: index > 0 })]),
          ],
        ]),
    ...fill(lines, areas.composer).map((line, index): Line => [
      span(index === 0 ? ' › ' : '   ', { colour: 'do', bold: true, dim: !isFocused }),
      ...line,
      ...(index === 0 ? hint : []),
    ]),
  ];
}

function nameOf({ world }: Scene): string {
  return world.world?.name ?? world.worldId;
}

function footLine({ ui }: Scene, width: number): Line {
  if (ui.overlay === 'leave') {
    return [span(' Leave? What you wrote is not sent. y leaves · n stays', { colour: 'waiting', bold: true })];
  }
  if (ui.said !== undefined)
    return [span(` ${cut(ui.said.text, width - 2)}`, { colour: ui.said.isBad ? 'bad' : 'waiting' })];
  return spread([span(` ${hintsFor(ui)}`, { dim: true })], [span('? help ', { dim: true })], width);
}

function hintsFor({ focus, overlay, card }: UiState): string {
  if (overlay === 'help') return 'Any key closes this';
  switch (focus) {
    case 'composer':
      return 'Enter sends · Tab next part · Ctrl-P chats · Ctrl-N new chat · Ctrl-C leaves';
    case 'card':
      return 'field' in card.choice
        ? 'Esc goes back'
        : 'j k scroll · Tab next part · Esc back to the message · q leaves';
    case 'transcript':
      return 'j k scroll · g G ends · x whole output · Esc back to the message · q leaves';
    case 'chats':
      return 'j k choose · Enter opens · Esc back to the message · q leaves';
  }
}
