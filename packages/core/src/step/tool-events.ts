import type { ToolEvent } from '@countersign/protocol';
import type { InvocationRecord } from '../ports/index.js';
import { maskArguments } from '../masking/index.js';
import { toolTurnId } from '../turn/ids.js';
import type { Step } from './runtime.js';

type Lifecycle = ToolEvent extends infer E
  ? E extends ToolEvent
    ? Omit<E, 'invocation_id' | 'tool_name' | 'turn_id' | 'agent_id' | 'agent_name'>
    : never
  : never;

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
