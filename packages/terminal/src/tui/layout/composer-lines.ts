import { matching, mentionAt, externalAgent, recipientsText, whoAnswers } from '@countersign/client';
import { matchingSlash } from '../../chat/slash-commands.js';
import { isWriting, type UiState } from '../ui-state.js';
import type { Areas } from './areas.js';
import { fieldLines } from './field-lines.js';
import { fill, rule } from './rule.js';
import type { Scene } from './scene.js';
import { cut, span, spread, type Line } from '../../text/spans.js';
import { changeWords } from '../../words/change.js';
import { undoHint } from './undo-lines.js';
import { screenWords } from '../../words/screen.js';

/** Width of the prompt. */
export const PROMPT = 3;

/** Completions for the name or command being typed. */
export function completions({ ui, world }: Scene): readonly string[] {
  if (ui.focus !== 'composer') return [];
  const mention = mentionAt(ui.composer.text, ui.composer.cursor);
  if (mention !== undefined) return matching(world.agents, mention.typed).map(({ name }) => `@${name}`);
  return matchingSlash(ui.composer.text, 'screen');
}

export function composerLines(scene: Scene, areas: Areas): Line[] {
  const { ui, chat } = scene;
  const outside = chat === undefined ? undefined : externalAgent(chat);
  if (outside !== undefined) {
    const note = [[span(screenWords.takesNoMessages(outside.name), { dim: true })]];
    return [rule(areas.width), ...fill(note, areas.completion + areas.composer)];
  }
  const isFocused = ui.focus === 'composer' && ui.overlay === 'none';
  const names = completions(scene).slice(0, 6);
  const lines = fieldLines(ui.composer, areas.width - PROMPT - 1, areas.composer, isFocused, 'prose');
  const isEmpty = ui.composer.text === '';
  const hint = isEmpty ? [span(`${isFocused ? '' : ' '}${screenWords.placeholder(nameOf(scene))}`, { dim: true })] : [];
  return [
    rule(areas.width, [
      isFocused ? span(' Message ', { colour: 'do', bold: true }) : span(' Message ', { dim: true }),
      ...recipientSpans(scene, areas.width - 14),
    ]),
    ...(areas.completion === 0
      ? []
      : [
          [
            span('   Tab: ', { dim: true }),
            ...names.flatMap((name, index): Line => [span(`${name} `, { bold: index === 0, dim: index > 0 })]),
          ],
        ]),
    ...fill(lines, areas.composer).map((line, index): Line => [
      span(index === 0 ? ' › ' : '   ', { colour: 'do', bold: true, dim: !isFocused }),
      ...line,
      ...(index === 0 ? hint : []),
    ]),
  ];
}

/** Who will answer the message, before it is sent (WORLD3.6). */
function recipientSpans({ ui, world }: Scene, room: number): Line {
  if (world.world === undefined || ui.composer.text.startsWith('/')) return [];
  const who = whoAnswers(ui.composer.text, world.agents, world.world.mainAgent);
  const text = recipientsText(who);
  if (who.kind !== 'nobody') return [span(`${cut(text, room)} `, { dim: true })];
  const fix = who.fixed === undefined ? '' : screenWords.fixHint;
  return [span(`${cut(text, room - fix.length)}${fix} `, { colour: 'waiting' })];
}

function nameOf({ world }: Scene): string {
  return world.world?.name ?? world.worldId;
}

/** The last line: a message, or key hints. */
export function footLine({ ui }: Scene, width: number, isHelpWhole: boolean): Line {
  if (ui.overlay === 'leave') {
    return [span(screenWords.leave, { colour: 'waiting', bold: true })];
  }
  if (ui.status !== undefined)
    return [span(` ${cut(ui.status.text, width - 2)}`, { colour: ui.status.isBad ? 'bad' : 'waiting' })];
  if (ui.overlay === 'help' && !isHelpWhole) return [span(screenWords.helpHint, { dim: true })];
  return spread([span(` ${hintsFor(ui)}`, { dim: true })], [span(screenWords.help, { dim: true })], width);
}

function hintsFor({ focus, overlay, card, undo, review }: UiState): string {
  if (overlay === 'help') return screenWords.helpClose;
  if (overlay === 'undo') return undoHint(undo);
  if (overlay === 'review') return review.isOpen ? changeWords.fileHint : changeWords.listHint;
  switch (focus) {
    case 'composer':
      return screenWords.hints.composer;
    case 'card':
      return isWriting(card.choice) ? screenWords.hints.field : screenWords.hints.card;
    case 'transcript':
      return screenWords.hints.transcript;
    case 'chats':
      return screenWords.hints.chats;
  }
}
