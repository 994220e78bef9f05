import type { CallRecord, StoreReader } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { InvocationRow, InvocationStatements } from '../queries/invocations.js';

type InvocationVerbs = Pick<StoreReader, 'invocation' | 'invocations'>;

export function invocationVerbs(on: Connection, s: InvocationStatements): InvocationVerbs {
  const invocation = on.first(s.invocation, toInvocation);
  const invocations = on.all(s.invocations, toInvocation);

  return {
    invocation: async (id) => invocation({ id }),
    invocations: async (turnId, iteration) => invocations({ turnId, iteration }),
  };
}

export function toInvocation([
  id,
  worldId,
  chatId,
  agentId,
  turnId,
  iteration,
  position,
  messageId,
  toolName,
  argumentsText,
  editedBy,
  callHash,
  status,
  runBy,
  readOnly,
  idempotent,
  approvalId,
  startedEpoch,
  result,
  outcomeUnknown,
  createdAt,
  startedAt,
  settledAt,
]: InvocationRow): CallRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    turnId,
    iteration,
    position,
    messageId,
    toolName,
    arguments: argumentsText,
    editedBy,
    callHash,
    status: status as CallRecord['status'],
    runBy: runBy as CallRecord['runBy'],
    readOnly: readOnly === 1,
    idempotent: idempotent === 1,
    approvalId,
    startedEpoch,
    result,
    outcomeUnknown: outcomeUnknown === 1,
    createdAt,
    startedAt,
    settledAt,
  };
}
