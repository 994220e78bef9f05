import {
  abandonedText,
  editedText,
  notEditableText,
  describeCall,
  effectText,
  hostsToAllow,
  maskedText,
  folderOf,
  sandboxText,
  secondsText,
  signingLines,
  toolText,
  wantsTo,
  whyText,
  type ApprovalView,
  type EffectText,
  type Reader,
} from '@countersign/client';
import { BAR, indented, proseBehindBar, roomIn, wrapExactLines } from '../text/behind-bar.js';
import { widthOf } from '../text/cells.js';
import { secondText } from '../text/clock-text.js';
import type { Paint } from '../text/paint.js';
import { exactText, plainLine, printedText, proseLine } from '../text/plain-text.js';
import { cardWords } from '../words/cards.js';

export interface CardLook {
  readonly agentName: string;
  readonly paint: Paint;
  readonly columns: number;
  /** The height of the terminal, if there is one. */
  readonly rows?: number | undefined;
  /** The position in the queue, as in "1 of 3" (A12). */
  readonly place?: { readonly position: number; readonly total: number; readonly more?: boolean } | undefined;
  /** Show the whole call. */
  readonly whole?: boolean;
  /** The name of the world, if several are watched. */
  readonly world?: string;
  readonly now?: number;
  /** Who reads the card, if known. */
  readonly me?: Reader | undefined;
}

/** How many lines of a call are shown at first. The call can't be approved until the rest has been shown. */
const LONGEST = 60;
const SHORTEST = 8;
/** The number of card lines around the call. Anything that scrolls off the top would be approved unread. */
const AROUND = 14;

/** The card, and whether part of the call is not on it yet. Every line starts with our own text. */
export function describeApproval(approval: ApprovalView, look: CardLook): { text: string; isCut: boolean } {
  const { paint, columns } = look;
  const name = paint.agent(approval.agentId, plainLine(look.agentName));
  const place = placeWords(look);
  const where = look.world === undefined ? '' : `  ${cardWords.in(plainLine(look.world))}`;
  const lines = [...callLines(approval, columns), ...effectLines(approval, columns, look.whole === true)];
  const said = toolText(approval);
  const edited = editedText(approval);
  const asks = [edited, said === undefined ? undefined : cardWords.toolAsks(said)].flatMap((line) =>
    line === undefined ? [] : indented(line, columns).split('\n'),
  );
  const around = AROUND + asks.length;
  const most = Math.min(LONGEST, Math.max(SHORTEST, (look.rows ?? LONGEST + around) - around));
  const abandoned = abandonedText(approval);
  const notEditable = notEditableText(approval);
  const masked = maskedText(approval);
  // One line more takes no more room than saying that it is missing.
  const isCut = look.whole !== true && lines.length > most + 1;
  const shown = isCut ? lines.slice(0, most) : lines;
  const text = [
    '',
    `${paint.amber('⏳')} ${paint.bold(`${name} ${plainLine(wantsTo(approval))}`)}${paint.dim(`${place}${where}`)}`,
    ...asks,
    ...shown.map((line) => `${BAR}${line}`),
    ...(isCut ? [cardWords.moreLines(lines.length - most)] : []),
    indented(`${cardWords.in(folderOf(approval))} · ${sandboxText(approval.sandbox).words}`, columns),
    indented(whyText(approval), columns),
    ...(notEditable === undefined ? [] : [indented(notEditable, columns)]),
    ...(abandoned === undefined ? [] : [paint.amber(indented(abandoned, columns))]),
    ...signingLines(approval, look.me).map((line) => indented(line, columns)),
    ...(masked === undefined ? [] : [`  ${masked}`]),
    ...(approval.expiresAt === undefined ? [] : [`  ${expiry(approval.expiresAt, look.now ?? Date.now())}`]),
  ].join('\n');
  return { text, isCut };
}

/** A question card. Choices are suggestions: any text answers it. */
export function describeQuestion(approval: ApprovalView, look: CardLook): string {
  const { paint, columns } = look;
  const name = paint.agent(approval.agentId, plainLine(look.agentName));
  const place = placeWords(look);
  const { text, choices } = approval.question ?? { text: '', choices: [] };
  return [
    '',
    `${paint.amber('?')} ${paint.bold(cardWords.asksYou(name))}${paint.dim(place)}`,
    proseBehindBar(text, columns),
    ...choices.map((choice, index) => proseBehindBar(`${index + 1}: ${proseLine(choice)}`, columns)),
  ].join('\n');
}

/**
 * The diff if there is one, and always the arguments, because a diff alone does not name the file. Only argument names start a line, so the
 * content of one argument can't look like another argument.
 */
function callLines(approval: ApprovalView, columns: number): string[] {
  const { toolName, arguments: proposed, preview } = approval;
  // A truncated preview doesn't show everything that would be written; the arguments do.
  if (preview?.truncated !== false) return argumentLines(proposed, columns);
  return [
    ...argumentLines(withoutChange(toolName, proposed), columns),
    ...wrapExactLines(preview.text.replace(/\n$/, ''), columns),
  ];
}

/** How many lines of a diff are shown, unless the whole call is. */
const DIFF_LINES = 20;
const DIFF_SIGNS = { added: '+', removed: '-', same: ' ', place: '', note: '' } as const;

/** What the call will do, destructive parts first, or why nobody knows. */
function effectLines(approval: ApprovalView, columns: number, whole: boolean): string[] {
  const text = effectText(approval);
  if (text === undefined) return [];
  const { isRehearsed, output, prediction, withoutNetwork } = text;
  const foot = prediction ?? withoutNetwork ?? cardWords.rehearsed;
  const hosts = hostsToAllow(approval);
  const exact = (line: string): string[] => wrapExactLines(line, columns - 4).map((part) => `    ${part}`);
  return [
    ...describeEffectLines(text, columns, whole),
    ...(isRehearsed ? wrapExactLines(foot, columns - 2).map((line) => `  ${line}`) : []),
    ...(hosts.length === 0 ? [] : wrapExactLines(cardWords.allowHosts(hosts), columns - 2).map((line) => `  ${line}`)),
    ...(whole && output !== '' ? [cardWords.printed, ...exact(printedText(output).replace(/\n$/, ''))] : []),
  ];
}

/** What will change, one path per line, with diffs. */
export function describeEffectLines(text: EffectText, columns: number, whole: boolean): string[] {
  const exact = (line: string, indent = ''): string[] =>
    wrapExactLines(line, columns - indent.length).map((part) => `${indent}${part}`);
  const { sentence, isKnown, files, notes, guess, prediction } = text;
  const label = prediction === undefined ? cardWords.effect : cardWords.prediction;
  return [
    '',
    ...exact(isKnown ? `${label} ${sentence}` : sentence),
    ...files.flatMap(({ sign, path, about, diff }) => {
      const lines = diff.flatMap(({ kind, text: line }) => exact(`${DIFF_SIGNS[kind]}${line}`, '    '));
      const rest = whole ? 0 : lines.length - DIFF_LINES;
      return [
        ...exact(`${sign} ${path}${about === '' ? '' : ` (${about})`}`, '  '),
        ...(rest > 1 ? [...lines.slice(0, DIFF_LINES), `    ${cardWords.moreLinesHere(rest)}`] : lines),
      ];
    }),
    ...notes.flatMap((note) => exact(note, '  ')),
    ...(guess === '' ? [] : exact(guess, '  ')),
  ];
}

const IN_CHANGE = new Set(['content', 'oldText', 'newText']);

/** Replaces arguments that the diff already shows. Other tools' previews may show something else. */
function withoutChange(toolName: string, args: unknown): unknown {
  const { kind } = describeCall(toolName, args);
  if ((kind !== 'write' && kind !== 'edit') || typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) =>
      IN_CHANGE.has(name) && typeof value === 'string' && (value.length > 200 || value.includes('\n'))
        ? [name, cardWords.shownAsChange(value.length)]
        : [name, value],
    ),
  );
}

const INDENT = '  ';

function argumentLines(args: unknown, columns: number): string[] {
  if (typeof args !== 'object' || args === null)
    return wrapExactLines(typeof args === 'string' ? args : JSON.stringify(args), columns);
  const entries = Object.entries(args);
  if (entries.length === 0) return [cardWords.noArguments];
  return entries.flatMap(([name, value]) => {
    const label = /^[\w.-]{1,60}$/.test(name) ? `${name}:` : `${exactText(JSON.stringify(name))}:`;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const isShort = !text.includes('\n') && widthOf(`${label} ${exactText(text)}`) <= roomIn(columns);
    if (isShort) return [`${label} ${exactText(text)}`];
    return [
      ...wrapExactLines(label, columns),
      ...wrapExactLines(text, columns - INDENT.length).map((line) => `${INDENT}${line}`),
    ];
  });
}

/** Includes the time of day: printed text stays, and "in 30 s" would soon be wrong. */
function expiry(at: string, now: number): string {
  return cardWords.expires(secondText(at).slice(11), secondsText(Date.parse(at) - now));
}

function placeWords({ place }: CardLook): string {
  if (place === undefined || place.total < 2) return '';
  return `  ${cardWords.place(place.position, `${place.total}${place.more === true ? '+' : ''}`)}`;
}
