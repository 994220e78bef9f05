import type { InvocationChange, InvocationRecord, OpenCall, StoreTransaction } from '@countersign/core/ports';
import { changed } from '../change-set.js';
import type { Connection } from '../connection.js';
import type { ChangeParameters, InvocationRow, OpenRow, InvocationStatements } from '../queries/invocations.js';

type InvocationVerbs = Pick<
  StoreTransaction,
  | 'invocation'
  | 'invocations'
  | 'openCalls'
  | 'outcomeUnknown'
  | 'insertInvocation'
  | 'changeInvocation'
  | 'clearOutcomeUnknown'
>;

export function invocationVerbs(on: Connection, s: InvocationStatements): InvocationVerbs {
  const invocation = on.first(s.invocation, toInvocation);
  const invocations = on.all(s.invocations, toInvocation);
  const openCalls = on.all(s.openCalls, toOpenCall);
  const outcomeUnknown = on.first(s.outcomeUnknown, ([id]) => id);
  const insertInvocation = on.run(s.insertInvocation);
  const changeInvocation = on.run(s.changeInvocation);
  const changeInvocationAndOutcome = on.run(s.changeInvocationAndOutcome);
  const clearOutcomeUnknown = on.run(s.clearOutcomeUnknown);

  return {
    invocation: async (id) => invocation({ id }),
    invocations: async (turnId, iteration) => invocations({ turnId, iteration }),
    openCalls: async (turnId, iteration, { limit }) => openCalls({ turnId, iteration, limit }),
    outcomeUnknown: async (chatId, toolName, argumentsText) =>
      (await outcomeUnknown({ chatId, toolName, arguments: argumentsText })) !== undefined,
    async insertInvocation(record) {
      await insertInvocation({
        ...record,
        edited: Number(record.edited),
        readOnly: Number(record.readOnly),
        idempotent: Number(record.idempotent),
        outcomeUnknown: Number(record.outcomeUnknown),
      });
    },
    async changeInvocation(id, from, change) {
      const parameters = { id, from, ...toParameters(change) };
      const changed =
        change.outcomeUnknown === undefined
          ? changeInvocation(parameters)
          : changeInvocationAndOutcome({ ...parameters, outcomeUnknown: Number(change.outcomeUnknown) });
      return (await changed) === 1;
    },
    async clearOutcomeUnknown(chatId, toolName, argumentsText) {
      await clearOutcomeUnknown({ chatId, toolName, arguments: argumentsText });
    },
  };
}

function toParameters(change: InvocationChange): ChangeParameters {
  return {
    status: change.status,
    arguments: change.arguments ?? null,
    edited: change.edited === undefined ? null : Number(change.edited),
    callHash: change.callHash ?? null,
    hasCallHash: changed(change.callHash),
    approvalId: change.approvalId ?? null,
    hasApprovalId: changed(change.approvalId),
    startedEpoch: change.startedEpoch ?? null,
    hasStartedEpoch: changed(change.startedEpoch),
    result: change.result ?? null,
    hasResult: changed(change.result),
    startedAt: change.startedAt ?? null,
    hasStartedAt: changed(change.startedAt),
    settledAt: change.settledAt ?? null,
    hasSettledAt: changed(change.settledAt),
  };
}

function toOpenCall([id, status, location, readOnly, startedEpoch]: OpenRow): OpenCall {
  return {
    id,
    status: status as InvocationRecord['status'],
    location: location as InvocationRecord['location'],
    readOnly: readOnly === 1,
    startedEpoch,
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
  edited,
  callHash,
  status,
  location,
  readOnly,
  idempotent,
  approvalId,
  startedEpoch,
  result,
  outcomeUnknown,
  createdAt,
  startedAt,
  settledAt,
]: InvocationRow): InvocationRecord {
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
    edited: edited === 1,
    callHash,
    status: status as InvocationRecord['status'],
    location: location as InvocationRecord['location'],
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
