import type { WorldState } from '@countersign/client';
import { isTooSmall, SMALLEST, type Size } from './areas.js';
import { cardLines } from '../card/card-pane.js';
import { composerLines, footLine } from './composer-lines.js';
import { bannerOf, headLine } from './head-lines.js';
import { helpWindow } from './help-lines.js';
import { unsentLines } from '../transcript/message-lines.js';
import type { Plan } from './plan.js';
import { reviewWindow } from './review-lines.js';
import { fill, rule } from './rule.js';
import type { Scene } from './scene.js';
import { sideLines } from './side-lines.js';
import { padLine, span, wrapWords, type Line } from '../../text/spans.js';
import { unsentIn } from '../transcript/transcript-blocks.js';
import { windowOf } from '../transcript/transcript-window.js';
import { undoWindow } from './undo-lines.js';
import { screenWords } from '../../words/screen.js';

/** The whole screen: one line per row, each exactly as wide as the screen. */
export function frameOf(scene: Scene, plan: Plan): Line[] {
  const { size, ui, world, chat } = scene;
  if (isTooSmall(size)) return tooSmall(size);
  const { areas } = plan;
  const isSideAlone = ui.isSideOpen && areas.side === 0;
  const width = areas.width;
  const isSideFocused = ui.focus === 'chats';
  const side = (sideWidth: number, height: number): Line[] =>
    sideLines({ world, chat, chatId: ui.chatId, picked: ui.pickedChat, isFocused: isSideFocused }, sideWidth, height);
  const banner = bannerOf(scene);
  const middleLines = (): Line[] => {
    if (ui.overlay === 'help') return fill(helpWindow(width, plan.help.height, ui.helpScroll), plan.help.height);
    if (ui.overlay === 'undo') return fill(undoWindow(ui.undo, width, plan.undo.height), plan.undo.height);
    if (ui.overlay === 'review') return fill(reviewWindow(ui, width, plan.review.height), plan.help.height);
    const height = areas.transcript + areas.card;
    const above = isSideAlone
      ? fill(side(width, height), height)
      : [...transcriptLines(scene, plan), ...cardLines(scene, plan)];
    return [...above, ...composerLines(scene, areas)];
  };
  const main: Line[] = [
    headLine(scene, width, areas.side > 0),
    ruleLine(scene, plan, width),
    ...(banner === undefined ? [] : [banner]),
    ...middleLines(),
    footLine(scene, width, plan.help.height >= plan.help.length),
  ];
  if (areas.side === 0) return main.map((line) => padLine(line, size.columns));
  const left = fill(side(areas.side, size.rows), size.rows);
  return main.map((line, row) => [
    ...padLine(left[row] ?? [], areas.side),
    span('│', { dim: true }),
    ...padLine(line, width),
  ]);
}

function tooSmall({ columns, rows }: Size): Line[] {
  const words = screenWords.tooSmall(columns, rows, SMALLEST);
  return fill(
    wrapWords(words, columns).map((line) => [span(line)]),
    rows,
  ).map((line) => padLine(line, columns));
}

function ruleLine({ ui, chat }: Scene, { blocks, areas }: Plan, width: number): Line {
  const isCovered = ui.overlay !== 'none' && ui.overlay !== 'leave';
  if (blocks === undefined || chat === undefined || isCovered) return rule(width);
  const { atEnd, first } = windowOf(blocks, ui.scroll, areas.transcript);
  const isHere = ui.focus === 'transcript';
  const left: Line = isHere ? [span(screenWords.transcript, { colour: 'do', bold: true })] : [];
  if (atEnd) return rule(width, left);
  return rule(width, left, [
    span(screenWords.position(first + 1, blocks.count, chat.older.kind !== 'none'), { dim: true }),
  ]);
}

function transcriptLines(scene: Scene, { blocks, areas }: Plan): Line[] {
  const { ui, chat, world, suggestions } = scene;
  if (blocks === undefined || (chat?.loading.kind === 'ready' && blocks.count === 0)) {
    const unsent = unsentIn(scene);
    const lines = unsent.length === 0 ? emptyLines(world, suggestions) : unsentLines(unsent, areas.width);
    return fill(lines, areas.transcript);
  }
  if (chat?.loading.kind === 'loading' && blocks.count === 0)
    return fill([[], [span(screenWords.loading, { dim: true })]], areas.transcript);
  return fill(windowOf(blocks, ui.scroll, areas.transcript).lines, areas.transcript);
}

function emptyLines(world: WorldState, suggestions: readonly string[]): Line[] {
  if (world.loading.kind === 'loading') return [[], [span(screenWords.loading, { dim: true })]];
  if (world.agents.length === 0) {
    return [[], [span(screenWords.noAgents, { dim: true })]];
  }
  return [
    [],
    [span(screenWords.empty)],
    [],
    ...(suggestions.length === 0 ? [] : [[span(screenWords.suggestions, { dim: true })]]),
    ...suggestions.map((text): Line => [span('   · ', { colour: 'do' }), span(text)]),
  ];
}
