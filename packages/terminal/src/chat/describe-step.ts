import { agentName, get, type ChatState, type Invocation } from '@countersign/client';
import type { Paint } from '../text/paint.js';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';

/** Where a call stands, as one line; `key` tells steps apart. Undefined for what nobody needs to see. */
export function describeStep(
  state: ChatState,
  call: Invocation,
  paint: Paint,
): { key: string; text: string } | undefined {
  const { status } = call;
  const agent = paint.agent(call.agentId, plainLine(agentName(state, call.agentId)));
  const name = `${agent} · ${plainLine(call.toolName)}`;
  switch (status.kind) {
    case 'proposed':
      return undefined;
    case 'asked':
      return {
        key: `asked ${status.approvalId}`,
        text: `${paint.amber('⏳')} ${name}  waiting for you: ${brief(call)}`,
      };
    case 'approved':
      return { key: 'approved', text: `${paint.green('✍')} ${name}  ${signature(state, call)}` };
    case 'running':
      return { key: 'running', text: `… ${name}  ${brief(call)}` };
    case 'succeeded':
      return { key: 'ended', text: `${paint.green('✓')} ${name}  done${tookOf(call)}` };
    case 'failed':
      return { key: 'ended', text: `${paint.red('✗')} ${name}  failed: ${short(status.error)}` };
    case 'denied':
      return { key: 'ended', text: `${paint.red('✗')} ${name}  denied: ${short(status.reason)} (${brief(call)})` };
    case 'expired':
      return { key: 'ended', text: `${paint.red('✗')} ${name}  expired, nothing ran` };
  }
}

/** Who signed, and how far that goes. */
function signature(state: ChatState, { approvalIds }: Invocation): string {
  const decision = get(state.approvals, approvalIds.at(-1) ?? '')?.decision;
  if (decision === undefined) return 'signed';
  const scope = { once: 'once', session: 'for this chat', always: 'always, by a rule' }[decision.scope];
  return `signed ${scope}${decision.by === '' ? '' : `, by ${plainLine(decision.by)}`}`;
}

/** What runs, in as few words as tell it. */
function brief({ editedArguments, arguments: proposed }: Invocation): string {
  const args = editedArguments ?? proposed;
  if (typeof args !== 'object' || args === null) return '';
  const first = Object.values(args)[0] as unknown;
  return short(typeof first === 'string' ? first : JSON.stringify(args));
}

function short(text: string): string {
  return cutTo(plainLine(text), 70);
}

function tookOf({ startedAt, settledAt }: Invocation): string {
  const took = Date.parse(settledAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isFinite(took) && took >= 50 ? `, ${(took / 1000).toFixed(1)} s` : '';
}
