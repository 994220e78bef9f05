import { secondsText, wantsTo, type ApprovalView, type Reader } from '@countersign/client';
import { secondText } from '../text/clock-text.js';
import type { Paint } from '../text/paint.js';
import { plainLine } from '../text/plain-text.js';
import { printLines } from '../text/print-lines.js';
import { cardWords } from '../words/cards.js';
import { cardLines, sessionLines } from './card-lines.js';
import { questionLines } from './question-lines.js';

export interface CardLook {
  readonly agentName: string;
  readonly paint: Paint;
  readonly columns: number;
  /** The height of the terminal, if there is one. */
  readonly rows?: number | undefined;
  /** The position in the queue, as in "1 of 3" (CALL12). */
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

/** The card as printed text, and whether part of the call is not on it yet. Every line starts with our own text. */
export function describeApproval(approval: ApprovalView, look: CardLook): { text: string; isCut: boolean } {
  const { paint, columns, me } = look;
  const isWhole = look.whole === true;
  const { lead, call, about } = cardLines(approval, { width: columns, detail: isWhole ? 'whole' : 'brief', me });
  const around = AROUND + lead.length;
  const most = Math.min(LONGEST, Math.max(SHORTEST, (look.rows ?? LONGEST + around) - around));
  // One line more takes no more room than saying that it is missing.
  const isCut = !isWhole && call.length > most + 1;
  const text = [
    '',
    headOf(approval, look),
    ...printLines([...lead, ...(isCut ? call.slice(0, most) : call)], columns, paint),
    ...(isCut ? [cardWords.moreLines(call.length - most)] : []),
    ...printLines(about, columns, paint),
    ...(approval.expiresAt === undefined ? [] : [`  ${expiry(approval.expiresAt, look.now ?? Date.now())}`]),
  ].join('\n');
  return { text, isCut };
}

/** A question card. Choices are suggestions: any text answers it. */
export function describeQuestion(approval: ApprovalView, look: CardLook): string {
  const lines = questionLines(approval.question ?? { text: '', choices: [] }, look.columns);
  const about = sessionLines(approval, look.columns, look.me);
  return ['', headOf(approval, look), ...printLines([...lines, ...about], look.columns, look.paint)].join('\n');
}

function headOf(approval: ApprovalView, { agentName, paint, place, world }: CardLook): string {
  const name = paint.agent(approval.agentId, plainLine(agentName));
  const count =
    place === undefined || place.total < 2
      ? ''
      : `  ${cardWords.place(place.position, `${place.total}${place.more === true ? '+' : ''}`)}`;
  const where = paint.dim(`${count}${world === undefined ? '' : `  ${cardWords.in(plainLine(world))}`}`);
  if (approval.question !== undefined) return `${paint.amber('?')} ${paint.bold(cardWords.asksYou(name))}${where}`;
  return `${paint.amber('⏳')} ${paint.bold(`${name} ${plainLine(wantsTo(approval))}`)}${where}`;
}

/** Includes the time of day: printed text stays, and "in 30 s" would soon be wrong. */
function expiry(at: string, now: number): string {
  return cardWords.expires(secondText(at).slice(11), secondsText(Date.parse(at) - now));
}
