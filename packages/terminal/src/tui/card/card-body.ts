import type { ApprovalView, Reader } from '@countersign/client';
import { cardLines, ownLines, sessionLines } from '../../card/card-lines.js';
import { questionLines } from '../../card/question-lines.js';
import type { Line } from '../../text/spans.js';
import { screenWords } from '../../words/screen.js';
import type { Choice } from '../ui-state.js';
import { formBody } from './form-lines.js';

/** Nobody reads this many lines here: a longer call is truncated and can't be approved. */
const MAX_LINES = 5000;

/** The scrollable part of a card. */
interface CardBody {
  readonly lines: readonly Line[];
  /** Set if part of the call is missing, so that it must not be approved (CALL15). */
  readonly isCut: boolean;
}

export function cardBody(approval: ApprovalView, width: number, choice?: Choice, me?: Reader): CardBody {
  const { question } = approval;
  if (question !== undefined) {
    const draft = choice?.kind === 'form' ? choice.draft : undefined;
    const asked = question.form === undefined ? questionLines(question, width) : formBody(question.form, draft, width);
    return { lines: [...asked, ...sessionLines(approval, width, me)], isCut: false };
  }
  const { lead, call, about } = cardLines(approval, { width, detail: 'folded', me });
  const hidden = call.length - MAX_LINES;
  // Only the call is truncated: the folder and the reason are always shown.
  const note = hidden > 0 ? ownLines(screenWords.notAllShown(hidden), width, { colour: 'waiting' }) : [];
  return { lines: [...lead, ...call.slice(0, MAX_LINES), ...note, ...about], isCut: hidden > 0 };
}
