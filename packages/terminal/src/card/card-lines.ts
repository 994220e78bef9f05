import {
  abandonedText,
  editedText,
  folderOf,
  maskedText,
  contextTexts,
  notEditableText,
  subagentText,
  sandboxText,
  signingLines,
  toolText,
  whyText,
  type ApprovalView,
  type Reader,
} from '@countersign/client';
import { span, wrapWords, type Line, type Look } from '../text/spans.js';
import { cardWords } from '../words/cards.js';
import { callLines } from './call-lines.js';
import { effectLines, hostLines, type Detail } from './effect-lines.js';

/** A card at a width, in the order in which it is shown. */
interface CardLines {
  /** What the person should know before they read the call. */
  readonly lead: readonly Line[];
  /** The call and its effect, behind the bar. */
  readonly call: readonly Line[];
  /** Where it would run, and why it needs approval. */
  readonly about: readonly Line[];
}

/** What would run, what it will do, where, and why it needs approval. Every command shows this card (CALL15). */
export function cardLines(
  approval: ApprovalView,
  { width, detail, me }: { width: number; detail: Detail; me: Reader | undefined },
): CardLines {
  const own = (text: string | undefined, look: Look = {}): Line[] =>
    text === undefined ? [] : ownLines(text, width, look);
  const said = toolText(approval)?.replaceAll(/\s*\n\s*/g, ' ');
  const { words: place, level } = sandboxText(approval.sandbox);
  return {
    lead: [
      ...own(editedText(approval), { colour: 'do' }),
      ...own(said === undefined ? undefined : cardWords.toolAsks(said)),
    ],
    call: [...callLines(approval, width), ...effectLines(approval, width, detail), ...hostLines(approval, width)],
    about: [
      ...own(
        `${cardWords.in(folderOf(approval))} · ${place}`,
        level === 'warning' ? { colour: 'waiting' } : { dim: true },
      ),
      ...own(whyText(approval)),
      ...contextTexts(approval).flatMap(({ lead, quote }) => own(cardWords.claims(lead, quote), { dim: true })),
      ...own(notEditableText(approval), { dim: true }),
      ...own(subagentText(approval), { dim: true }),
      ...own(abandonedText(approval), { colour: 'waiting' }),
      ...signingLines(approval, me).flatMap((line) => own(line, { colour: 'waiting' })),
      ...own(maskedText(approval), { dim: true }),
    ],
  };
}

/** Our own text. Further lines are indented further, because untrusted text must not start where only ours may start. */
export function ownLines(text: string, width: number, look: Look = {}): Line[] {
  return wrapWords(text.replaceAll(/\s*\n\s*/g, ' '), width - 4).map((line, index): Line => [
    { text: index === 0 ? '  ' : '    ' },
    span(line, look),
  ]);
}
