import {
  agentName,
  callLine,
  expiredText,
  get,
  approvedText,
  yourPart,
  type ChatState,
  type Decision,
  type Invocation,
} from '@countersign/client';
import type { Paint } from '../text/paint.js';
import { cutTo, cellsOf } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';
import { chatWords } from '../words/chat.js';

export interface StepLook {
  readonly paint: Paint;
  readonly columns: number;
  /** The reader's id, if it is known. */
  readonly me: string | undefined;
}

/** The state of a call on one line; `key` identifies the step. Never wider than the terminal: a wrapped line could imitate a card (CALL15). */
export function describeStep(
  state: ChatState,
  call: Invocation,
  look: StepLook,
): { key: string; text: string } | undefined {
  const step = stepOf(state, call, look.me);
  return step === undefined ? undefined : { key: step.key, text: lineOf(state, call, step, look) };
}

/** The approval for a call that has already started. */
export function describeSignature(state: ChatState, call: Invocation, look: StepLook): string | undefined {
  const decision = decisionOf(state, call);
  if (decision?.outcome !== 'approved' || call.startedAt === undefined) return undefined;
  const words = signature(state, call, look.me);
  return lineOf(state, call, { key: 'approved', mark: '✍', colour: 'green', words }, look);
}

function lineOf(state: ChatState, call: Invocation, step: Step, { paint, columns }: StepLook): string {
  const agent = plainLine(agentName(state, call.agentId));
  const tool = plainLine(call.toolName);
  const room = Math.max(10, columns - cellsOf(`  ${step.mark} ${agent} · ${tool}  `) - 2);
  const mark = step.colour === undefined ? step.mark : paint[step.colour](step.mark);
  return `  ${mark} ${paint.agent(call.agentId, agent)} · ${tool}  ${cutTo(plainLine(step.words), room)}`;
}

interface Step {
  readonly key: string;
  readonly mark: string;
  readonly colour?: 'amber' | 'green' | 'red';
  readonly words: string;
}

function stepOf(state: ChatState, call: Invocation, me: string | undefined): Step | undefined {
  const { status } = call;
  switch (status.kind) {
    case 'proposed':
      return undefined;
    case 'asked':
      return askedStep(state, call, status.approvalId);
    case 'approved':
      return { key: 'approved', mark: '✍', colour: 'green', words: signature(state, call, me) };
    case 'running':
      return { key: 'running', mark: '…', words: chatWords.running(brief(call)) };
    case 'succeeded':
      if (status.outcome === 'not-reported') return { key: 'ended', mark: '✓', words: chatWords.notReported };
      return { key: 'ended', mark: '✓', colour: 'green', words: chatWords.done(tookOf(call)) };
    case 'failed':
      if (status.outcome === 'stopped') return { key: 'ended', mark: '■', words: chatWords.stoppedCall };
      if (status.outcome === 'not-claimed') return { key: 'ended', mark: '✗', words: chatWords.notClaimed };
      return { key: 'ended', mark: '✗', colour: 'red', words: chatWords.failed(status.error) };
    case 'denied':
      return { key: 'ended', mark: '✗', colour: 'red', words: chatWords.denied(status.reason, brief(call)) };
    case 'expired':
      return { key: 'ended', mark: '✗', colour: 'red', words: expiredText(decisionOf(state, call)) };
  }
}

/** Undefined until it is known who can sign. */
function askedStep(state: ChatState, call: Invocation, approvalId: string): Step | undefined {
  const approval = get(state.approvals, approvalId);
  const part = approval === undefined ? 'decide' : yourPart(approval, state.me);
  if (part === 'unknown') return undefined;
  const key = `asked ${approvalId}`;
  if (part === 'decide') return { key, mark: '⏳', colour: 'amber', words: chatWords.waiting(brief(call)) };
  return { key: `${key} of others`, mark: '⏳', words: chatWords.waitingForOthers(brief(call)) };
}

/** The people who approved the call, and the scope. */
function signature(state: ChatState, call: Invocation, me: string | undefined): string {
  const decision = decisionOf(state, call);
  return decision === undefined ? chatWords.approved : approvedText(decision, me);
}

/** The latest decision. */
function decisionOf(state: ChatState, { approvalIds }: Invocation): Decision | undefined {
  return get(state.approvals, approvalIds.at(-1) ?? '')?.decision;
}

/** The call on one line, shortened. */
function brief({ toolName, editedArguments, arguments: proposed }: Invocation): string {
  return callLine(toolName, editedArguments ?? proposed);
}

function tookOf({ startedAt, settledAt }: Invocation): string {
  const took = Date.parse(settledAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isFinite(took) && took >= 50 ? `, ${(took / 1000).toFixed(1)} s` : '';
}
