import { effectText, hostsForNextRun, hostsToAllow, type EffectFile, type RunPart } from '@countersign/client';
import { BAR } from '../text/behind-bar.js';
import { printedText } from '../text/plain-text.js';
import { span, wrapPath, wrapWords, type Colour, type Line, type Look } from '../text/spans.js';
import { cardWords } from '../words/cards.js';
import { diffLine, exactLines } from './call-lines.js';

/** `brief`: long diffs are folded, and what the command printed is left out. `folded`: both are folded. `whole`: all of both. */
export type Detail = 'brief' | 'folded' | 'whole';

const FOLDED_LINES = 20;

const COLOURS: Readonly<Record<EffectFile['change'], Colour | undefined>> = {
  removed: 'bad',
  changed: undefined,
  moved: undefined,
  added: 'good',
};

/** What the call will do, destructive parts first, or why nobody knows. `foot` replaces what approving it means. */
export function effectLines(
  approval: Parameters<typeof effectText>[0],
  width: number,
  detail: Detail,
  foot?: string,
): Line[] {
  const text = effectText(approval);
  if (text === undefined) return [];
  const { sentence, isKnown, isDestructive, files, notes, guess, isRehearsed, prediction, withoutNetwork, run } = text;
  if (!isKnown) return behind(sentence, width, { dim: true }, '');
  const output = detail === 'brief' ? '' : printedText(text.output).replace(/\n$/, '');
  const folded = (lines: readonly Line[]): readonly Line[] => (detail === 'whole' ? lines : fold(lines));
  const label = prediction === undefined ? cardWords.effect : cardWords.prediction;
  const meaning =
    foot ?? (isRehearsed ? (prediction ?? withoutNetwork ?? run?.meaning ?? cardWords.rehearsed) : undefined);
  const partLines = ({ title, lines }: RunPart): Line[] => [
    ...behind(`${title}:`, width, { dim: true }, ''),
    ...folded(lines.flatMap((line) => exactLines(line, width, {}))),
  ];
  return [
    ...(run?.before ?? []).flatMap(partLines),
    ...behind(`${label} ${sentence}`, width, { bold: true, colour: isDestructive ? 'bad' : undefined }, ''),
    ...files.flatMap(({ change, sign, path, about, diff }) => [
      ...pathLines(`${path}${about === '' ? '' : ` (${about})`}`, sign, COLOURS[change], width),
      ...folded(diff.flatMap((line) => diffLine(line, width, '    '))),
    ]),
    ...(run?.after ?? []).flatMap(partLines),
    ...notes.flatMap((note) => behind(note, width, { colour: 'waiting' })),
    ...(guess === '' ? [] : behind(guess, width, { dim: true })),
    ...(output === ''
      ? []
      : [...behind(cardWords.printed, width, { dim: true }, ''), ...folded(exactLines(output, width, { dim: true }))]),
    ...(meaning === undefined || meaning === '' ? [] : behind(meaning, width, { dim: true })),
  ];
}

/** How to let a command reach the hosts that it tried without network, or the next run those that this one was refused. */
export function hostLines(approval: Parameters<typeof hostsToAllow>[0], width: number): Line[] {
  const hosts = hostsToAllow(approval);
  return [
    ...(hosts.length === 0 ? [] : behind(cardWords.allowHosts(hosts), width, { dim: true })),
    ...hostsForNextRun(approval).flatMap((host) => behind(cardWords.allowNextRun(host), width, { dim: true })),
  ];
}

/** Our own words behind the bar, which may contain paths and hosts. */
function behind(text: string, width: number, look: Look, indent = '  '): Line[] {
  return wrapWords(text, width - BAR.length - indent.length - 2).map((line, index): Line => [
    span(BAR, { dim: true }),
    { text: index === 0 ? indent : `${indent}  ` },
    span(line, look),
  ]);
}

/** One sign per path. Further lines start at a column of their own, so that part of a name can't look like another path. */
function pathLines(text: string, sign: string, colour: Colour | undefined, width: number): Line[] {
  const look = { colour, dim: colour === undefined };
  return wrapPath(text, width - BAR.length - 6).map((line, index): Line => [
    span(BAR, { dim: true }),
    { text: '  ' },
    span(index === 0 ? `${sign} ` : '    ', look),
    span(line, look),
  ]);
}

function fold(lines: readonly Line[]): readonly Line[] {
  const rest = lines.length - FOLDED_LINES;
  if (rest <= 1) return lines;
  return [
    ...lines.slice(0, FOLDED_LINES),
    [span(BAR, { dim: true }), { text: '    ' }, span(cardWords.moreLinesHere(rest), { dim: true })],
  ];
}
