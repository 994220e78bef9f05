import { callLine } from '@countersign/client';
import { whyNotUndone, type UndoableCall } from '@countersign/protocol';
import { minuteText } from '../../text/clock-text.js';
import { screenWords } from '../../words/screen.js';
import type { UndoUi } from '../ui-state.js';
import { effectLines } from '../../card/effect-lines.js';
import { results } from '../../words/results.js';
import { cut, span, wrapWords, type Line } from '../../text/spans.js';

const words = screenWords.undo;

/** The calls that can be undone, or what undoing one of them will do. */
export function undoLines(undo: UndoUi, width: number): Line[] {
  switch (undo.kind) {
    case 'loading':
      return [[span(words.loading, { dim: true })]];
    case 'list':
      return [
        [span(words.title, { bold: true })],
        ...(undo.calls.length === 0 ? said(words.none, width) : []),
        ...undo.calls.map((call, index): Line => [
          span(index === undo.picked ? ' › ' : '   ', { colour: 'do', bold: true }),
          span(cut(`${minuteText(call.settledAt)}  ${lineOf(call)}`, width - 4), { inverse: index === undo.picked }),
        ]),
      ];
    case 'preview': {
      const { call, preview } = undo;
      return [
        [span(` ${cut(lineOf(call), width - 2)}`, { bold: true })],
        [],
        ...(preview.state === 'ready'
          ? [[span(words.effect)], ...effectLines({ effect: preview.effect }, width, 'folded', results.undoMeaning)]
          : said(whyNotUndone(preview), width)),
      ];
    }
  }
}

function said(text: string, width: number): Line[] {
  return wrapWords(text.trim(), width - 3).map((line): Line => [{ text: ' ' }, span(line, { colour: 'waiting' })]);
}

function lineOf({ toolName, arguments: args }: UndoableCall): string {
  return `${toolName} ${callLine(toolName, args)}`;
}

/** The visible lines: around the chosen call, or from where the person has scrolled to. */
export function undoWindow(undo: UndoUi, width: number, height: number): Line[] {
  const all = undoLines(undo, width);
  const wanted = undo.kind === 'preview' ? undo.scroll : undo.kind === 'list' ? undo.picked + 2 - height : 0;
  const first = Math.max(0, Math.min(wanted, all.length - height));
  return all.slice(first, first + height);
}

export function undoHint(undo: UndoUi): string {
  switch (undo.kind) {
    case 'loading':
      return words.noneHint;
    case 'list':
      return undo.calls.length === 0 ? words.noneHint : words.listHint;
    case 'preview':
      return undo.preview.state === 'ready' ? words.previewHint : words.noneHint;
  }
}
