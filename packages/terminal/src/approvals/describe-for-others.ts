import {
  agentName,
  nothingRunsText,
  signingLines,
  yourPart,
  type ApprovalView,
  type ChatState,
} from '@countersign/client';
import type { CommandContext } from '../context.js';
import { indented } from '../text/behind-bar.js';
import { cardWords } from '../words/cards.js';
import { columnsOf, lookOf } from './approval-prompt.js';
import { describeApproval, describeQuestion } from '../card/describe-approval.js';

interface Telling {
  readonly state: ChatState;
  readonly context: CommandContext;
  /** The signature lines that were printed, by approval. */
  readonly told: Map<string, string>;
}

/** A call that waits for other people: the card at first, and later only who has signed. Undefined if there is nothing new. */
export function describeForOthers(approval: ApprovalView, { state, context, told }: Telling): string | undefined {
  const { me } = state;
  const { approvalId } = approval;
  const part = yourPart(approval, me);
  if (part === 'unknown' || part === 'decide') return undefined;
  const lines = signingLines(approval, me);
  const before = told.get(approvalId);
  if (before === lines.join('\n')) return undefined;
  told.set(approvalId, lines.join('\n'));
  if (before !== undefined || part === 'signed')
    return lines.map((line) => indented(line, columnsOf(context))).join('\n');
  const look = { agentName: agentName(state, approval.agentId), ...lookOf(context), me };
  if (approval.question !== undefined) return describeQuestion(approval, look);
  const { text } = describeApproval(approval, look);
  return `${text}\n${part === 'watch' ? `  ${nothingRunsText(approval, 'approver')}` : cardWords.othersSign(approvalId)}`;
}
