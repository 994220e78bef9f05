import type { ToolEvent } from '@countersign/protocol';
import type { InvocationRecord } from '../ports/index.js';
import { createMemo, maskCall, type MaskedCall } from '../masking/index.js';
import { toolTurnId } from '../turn/ids.js';
import type { Step } from './runtime.js';
import { textAsJson } from './text-as-json.js';

type Lifecycle = ToolEvent extends infer E
  ? E extends ToolEvent
    ? Omit<E, 'invocation_id' | 'tool_name' | 'turn_id' | 'agent_id' | 'agent_name'>
    : never
  : never;

/** In characters of arguments. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

/** Says one step of one call's life (T2), in the transaction that makes it true. */
export function emitToolEvent(step: Step, invocation: InvocationRecord, lifecycle: Lifecycle): void {
  step.tx.emit({
    event: 'tool',
    chatId: invocation.chatId,
    data: {
      ...lifecycle,
      invocation_id: invocation.id,
      tool_name: invocation.toolName,
      turn_id: toolTurnId(invocation.turnId, invocation.iteration),
      agent_id: invocation.agentId,
      agent_name: step.snapshot.agentName(invocation.agentId),
    },
  });
}

const recent = createMemo(MOST_REMEMBERED, (text) => maskCall(textAsJson(text)));

/**
 * Arguments as people, logs and the audit see them (A15). Each step of a call's life shows them, so they are masked once and remembered;
 * nobody may change what comes back.
 */
export function maskArguments(argumentsText: string): MaskedCall {
  return recent(argumentsText);
}

/** What every audit record about a call says of it (A16). */
export function auditOf(invocation: InvocationRecord): {
  chatId: string;
  agentId: string;
  tool: string;
  invocationId: string;
  arguments: unknown;
} {
  return {
    chatId: invocation.chatId,
    agentId: invocation.agentId,
    tool: invocation.toolName,
    invocationId: invocation.id,
    arguments: maskArguments(invocation.arguments).value,
  };
}
