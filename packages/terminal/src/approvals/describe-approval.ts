import type { ApprovalView } from '@countersign/client';
import { behindBar, indented, wrapLines } from '../text/behind-bar.js';
import type { Paint } from '../text/paint.js';
import { plainLine } from '../text/plain-text.js';

export interface CardLook {
  readonly agentName: string;
  readonly paint: Paint;
  readonly columns: number;
  /** "1 of 3" (A12). */
  readonly place?: { readonly position: number; readonly total: number } | undefined;
  /** What the person made of the call: this is what would run (A7). */
  readonly edited?: unknown;
  /** Show all of it, however long. */
  readonly whole?: boolean;
  /** In which world, where several are watched. */
  readonly world?: string;
}

/** As many lines of a call are shown at once; the rest on request, and nothing is signed before that. */
const LONGEST = 60;

/** A card, and whether something of the call is not on it yet. Only our own words stand at the beginning of a line. */
export function describeApproval(approval: ApprovalView, look: CardLook): { text: string; isCut: boolean } {
  const { paint, columns } = look;
  const name = paint.agent(approval.agentId, plainLine(look.agentName));
  const place =
    look.place === undefined || look.place.total < 2 ? '' : `  ${look.place.position} of ${look.place.total}`;
  const where = look.world === undefined ? '' : `  in ${plainLine(look.world)}`;
  const shown = shownCall(approval, look.edited);
  const lines = wrapLines(shown, columns);
  const isCut = look.whole !== true && lines.length > LONGEST;
  const body = isCut ? lines.slice(0, LONGEST).join('\n') : shown;
  const text = [
    '',
    `${paint.amber('⏳')} ${paint.bold(`${name} wants to use ${plainLine(approval.toolName)}`)}${paint.dim(`${place}${where}`)}`,
    behindBar(body, columns),
    ...(isCut ? [`  … ${lines.length - LONGEST} more lines: s shows them, and nothing can be signed before.`] : []),
    ...(look.edited === undefined ? [] : ['  Edited by you: this is what would run.']),
    indented(`in ${approval.workingDirectory} · ${sandboxOf(approval)}`, columns),
    indented(`Why you are asked: ${approval.why}${maskNote(shown)}`, columns),
    ...(approval.expiresAt === undefined ? [] : [`  Expires at ${timeOf(approval.expiresAt)}`]),
  ].join('\n');
  return { text, isCut };
}

/** A question to be answered with words. Choices are offers: any words answer it. */
export function describeQuestion(approval: ApprovalView, look: CardLook): string {
  const { paint, columns } = look;
  const name = paint.agent(approval.agentId, plainLine(look.agentName));
  const place =
    look.place === undefined || look.place.total < 2 ? '' : `  ${look.place.position} of ${look.place.total}`;
  const { text, choices } = approval.question ?? { text: '', choices: [] };
  return [
    '',
    `${paint.amber('?')} ${paint.bold(`${name} asks you`)}${paint.dim(place)}`,
    behindBar(text, columns),
    ...choices.map((choice, index) => behindBar(`${index + 1}: ${plainLine(choice)}`, columns)),
  ].join('\n');
}

/** What it would change where that is known, and always its arguments: a change alone would not say of which file. */
function shownCall({ arguments: proposed, preview }: ApprovalView, edited?: unknown): string {
  if (edited !== undefined) return describeArguments(edited);
  const args = describeArguments(proposed);
  return preview === undefined ? args : `${describeArguments(withoutLong(proposed))}\n${preview}`;
}

/** Of what a preview shows already, only that it is there. */
function withoutLong(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) =>
      typeof value === 'string' && (value.length > 200 || value.includes('\n'))
        ? [name, `(${value.length} characters, below as a change)`]
        : [name, value],
    ),
  );
}

function describeArguments(args: unknown): string {
  if (typeof args !== 'object' || args === null) return typeof args === 'string' ? args : JSON.stringify(args);
  const entries = Object.entries(args);
  if (entries.length === 0) return '(no arguments)';
  return entries
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function sandboxOf({ sandbox }: ApprovalView): string {
  return sandbox === 'none' ? 'not sandboxed: with all of your rights' : `sandboxed: ${sandbox}`;
}

function maskNote(text: string): string {
  return text.includes('‹masked ') ? ' · secrets are masked' : '';
}

function timeOf(iso: string): string {
  return iso.slice(11, 19);
}
