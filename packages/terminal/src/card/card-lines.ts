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
      ...own(notEditableText(approval), { dim: true }),
      ...own(subagentText(approval), { dim: true }),
      ...sessionLines(approval, width, me),
      ...own(maskedText(approval), { dim: true }),
    ],
  };
}

/** What the program says about its session, whether it still waits, and who must sign: on the card of a call or a question. */
export function sessionLines(approval: ApprovalView, width: number, me: Reader | undefined): Line[] {
  return [
    ...contextTexts(approval).flatMap(({ lead, quote }) =>
      ownLines(cardWords.claims(lead, quote), width, { dim: true }),
    ),
    ...[abandonedText(approval) ?? [], signingLines(approval, me)]
      .flat()
      .flatMap((line) => ownLines(line, width, { colour: 'waiting' })),
  ];
}

/** Our own text. Further lines are indented further, because untrusted text must not start where only ours may start. */
export function ownLines(text: string, width: number, look: Look = {}): Line[] {
  return wrapWords(text.replaceAll(/\s*\n\s*/g, ' '), width - 4).map((line, index): Line => [
    { text: index === 0 ? '  ' : '    ' },
    span(line, look),
  ]);
}
