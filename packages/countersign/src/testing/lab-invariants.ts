import { isDeepStrictEqual } from 'node:util';
import { callHash, toolDigest, toWorldEvent } from '@countersign/core';
import type { MessageRecord } from '@countersign/core/ports';
import { inProcess, type ToolEventType, type WorldEvent } from '@countersign/protocol';
import type { LabCall, WorldRecordOf } from './lab-record.js';
import { TRAITS } from './lab-tools.js';
import { tools, type Lab } from './lab.js';

/** Checks the invariants of a settled world. Each line of the result is a violation. */
export function findViolations(lab: Lab, record: WorldRecordOf): string[] {
  return [
    ...lab.violations,
    ...record.calls.flatMap((call) => wrongWithCall(lab, record, call)),
    ...wrongWithDecisions(lab, record),
    ...wrongWithMessages(lab, record),
    ...wrongWithTurns(record),
    ...wrongWithEvents(lab, record),
  ];
}

const LETTER: Record<ToolEventType, string> = {
  // Always followed by a request in the same step.
  TOOL_REHEARSED: '',
  TOOL_APPROVAL_REQUESTED: 'R',
  TOOL_APPROVED: 'A',
  TOOL_DENIED: 'D',
  TOOL_EXECUTION_STARTED: 'S',
  TOOL_EXECUTION_SUCCEEDED: 'U',
  TOOL_EXECUTION_FAILED: 'F',
  TOOL_UNDONE: '',
};
/** After a change, a call needs approval again, so requests may repeat. An approved call that is then denied or stopped never starts. */
const CALL_LIFECYCLE = /^(?:(?:R+A)*(?:S[UF]|R*D)|F)$/;
/** A client's tool can no longer run if the client left between approval and start. */
const CLIENT_CALL_LIFECYCLE = /^(?:R+A)*(?:S[UF]|R*D|F)$/;
const CHANGED_CALL = /RA?R/;
const ENDING: Partial<Record<string, string>> = { U: 'succeeded', F: 'failed', D: 'denied' };

function lifecycle({ events }: LabCall): string {
  return events.map(({ data }) => LETTER[data.type]).join('');
}

function wrongWithCall(lab: Lab, record: WorldRecordOf, call: LabCall): string[] {
  const wrong: string[] = [];
  const { row, approvals, results } = call;
  const say = (promise: string): void => {
    wrong.push(`${promise}: ${row.toolName} ${row.arguments} went ${lifecycle(call)}`);
  };
  const stages = lifecycle(call);
  if (!(row.runBy === 'client' ? CLIENT_CALL_LIFECYCLE : CALL_LIFECYCLE).test(stages))
    say('[TURN4] a lifecycle out of order');
  // An edited call is shown again before it can be approved (CALL7.4).
  if (CHANGED_CALL.test(stages) && lab.changes.size === 0 && row.editedBy === null)
    say('[CALL7] needed approval again although nothing changed');
  if (row.status !== ENDING[stages.at(-1) ?? '']) say(`[TURN2] the record says ${row.status}`);
  if (results.length !== 1 || results[0]?.content !== row.result) say(`[TURN6] ${results.length} results`);
  if (approvals.length !== stages.split('R').length - 1) say(`[CALL3] ${approvals.length} questions`);
  const approved = approvals.filter(({ status }) => status === 'approved').length;
  if (approved !== stages.split('A').length - 1) say(`[CALL4] ${approved} approvals`);
  if (approvals.some(({ status }) => status === 'pending')) say('[CALL9] a question stays open about a settled call');
  for (const { data } of call.events) {
    if (data.agent_id !== row.agentId || data.turn_id !== `${row.turnId}.${row.iteration}`)
      say('[TURN3] a payload of another');
  }
  wrong.push(
    ...wrongWithRuns(lab, record, call, stages).map((promise) => `${promise}: ${row.toolName} went ${stages}`),
  );
  return wrong;
}

function wrongWithRuns(lab: Lab, record: WorldRecordOf, call: LabCall, stages: string): string[] {
  const wrong: string[] = [];
  const { row, runs } = call;
  const executions = lab.executions.filter(({ invocationId }) => invocationId === row.id);
  const traits = TRAITS[row.toolName];
  const started = stages.includes('S');
  if (!started && executions.length > 0) wrong.push('[TURN4] ran without having started');
  if (executions.length > 1 && traits?.idempotent !== true)
    wrong.push(`[CALL8] [STORE3] ran ${executions.length} times`);
  if (executions.length > 1 + lab.ends.length)
    wrong.push(`[CALL8] ran ${executions.length} times in ${lab.ends.length} lives`);
  if (stages.endsWith('U') && row.runBy === 'here' && executions.length === 0) wrong.push('[TURN4] never ran');
  for (const { args } of executions) {
    if (JSON.stringify(args) !== row.arguments)
      wrong.push(`[CALL7] ran with ${JSON.stringify(args)}, signed ${row.arguments}`);
  }
  const isReleased = wasReleased(call);
  if (started && stages.includes('A') && !isReleased) wrong.push(...wrongSignature(lab, call));
  if (runs.every(({ why }) => why === 'decision')) wrong.push(...wrongPlace(lab, call));
  if (started && (isReleased || (!stages.includes('A') && traits?.gated === true))) {
    const grant = record.grants.some(
      (one) => one.agentId === row.agentId && one.chatId === row.chatId && one.toolName === row.toolName,
    );
    const why = runs[0]?.why;
    if (!(why === 'grant' && grant) && why !== 'rule')
      wrong.push(`[CALL5] ran without approval because of ${why ?? 'nothing'}`);
  }
  if (started && !stages.includes('A') && traits === undefined && runs[0]?.why === 'no-approval-needed')
    wrong.push('[CALL1] ran without approval');
  wrong.push(...wrongOutcome(lab, record, call));
  return wrong;
}

/** Whether a grant or rule released the call, instead of a decision on its own approval (CALL5). */
function wasReleased({ row, approvals }: LabCall): boolean {
  const approval = approvals.find(({ id }) => id === row.approvalId);
  return approval?.status === 'approved' && approval.decisionDigest === null;
}

/** A call runs with the arguments that the person saw, or with their edit (CALL7). */
function wrongSignature(lab: Lab, { row, approvals }: LabCall): string[] {
  const approval = approvals.find(({ id }) => id === row.approvalId);
  if (approval?.status !== 'approved') return ['[CALL7] started without its approval'];
  const answers = lab.decisions.filter(
    ({ shown, sent, outcome }) =>
      shown.approvalId === approval.id &&
      sent.decision === 'approve' &&
      (outcome === undefined || outcome.kind === 'recorded'),
  );
  const signed = answers.map(({ sent, shown }) => JSON.stringify(sent.arguments ?? shown.arguments));
  return signed.includes(row.arguments) ? [] : [`[CALL7] signed ${signed.join(' or ')}, ran ${row.arguments}`];
}

/** The call hash covers the folder: a call approved for one folder must not run in another (CALL7). */
function wrongPlace(lab: Lab, { row }: LabCall): string[] {
  const tool = tools.find(({ definition }) => definition.name === row.toolName);
  const folders = lab.executions.flatMap(({ invocationId, folder }) => (invocationId === row.id ? [folder] : []));
  if (tool === undefined) return [];
  const isSigned = (workingDirectory: string): boolean =>
    row.callHash ===
    callHash(lab.store.hashKey, {
      agentId: row.agentId,
      chatId: row.chatId,
      tool: toolDigest(tool.definition),
      toolName: row.toolName,
      argumentsText: row.arguments,
      workingDirectory,
      sandbox: inProcess('unknown'),
    });
  return folders.filter((folder) => !isSigned(folder)).map((folder) => `[CALL7] ran in ${folder}, signed for another`);
}

/** The outcome of calls that were running when a process ended must be reported as unknown (STORE3). */
function wrongOutcome(lab: Lab, record: WorldRecordOf, call: LabCall): string[] {
  const { row, events } = call;
  const start = events.find(({ data }) => data.type === 'TOOL_EXECUTION_STARTED');
  const end = events.at(-1);
  if (start === undefined || end === undefined || row.runBy === 'client') return [];
  const error = end.data.type === 'TOOL_EXECUTION_FAILED' ? end.data.error : '';
  const cut = lab.ends.some(({ lastEventId }) => start.id <= lastEventId && lastEventId < end.id);
  const wrong: string[] = [];
  if (cut && !row.idempotent && !/^(interrupted|stopped), outcome unknown$/.test(error)) {
    wrong.push(`[STORE3] was cut off and ended with "${error}"`);
  }
  if (!cut && error.startsWith('interrupted')) wrong.push('[STORE3] was called interrupted and was not');
  const doubt = record.calls.find(
    (other) =>
      isSame(other, call) &&
      (other.events.at(-1)?.id ?? Infinity) < start.id &&
      errorOf(other).endsWith(' outcome unknown') &&
      !record.calls.some(
        (third) =>
          isSame(third, call) &&
          third.events.some(
            ({ id, data }) =>
              data.type === 'TOOL_APPROVED' && id > (other.events.at(-1)?.id ?? Infinity) && id < start.id,
          ),
      ),
  );
  // Calls that were approved may run despite the unknown outcome; others may not.
  if (doubt !== undefined && !events.some(({ data }) => data.type === 'TOOL_APPROVED')) {
    wrong.push('[STORE3] ran without approval after an unknown outcome of the same call');
  }
  return wrong;
}

function errorOf({ events }: LabCall): string {
  const end = events.at(-1)?.data;
  return end?.type === 'TOOL_EXECUTION_FAILED' ? end.error : '';
}

function isSame(one: LabCall, other: LabCall): boolean {
  const [a, b] = [one.row, other.row];
  return a.chatId === b.chatId && a.toolName === b.toolName && a.arguments === b.arguments;
}

function wrongWithDecisions(lab: Lab, record: WorldRecordOf): string[] {
  const wrong: string[] = [];
  const recorded = new Map<string, number>();
  for (const { how, sent, shown, outcome } of lab.decisions) {
    if (outcome === undefined) continue;
    const say = (promise: string): void => {
      wrong.push(`${promise}: ${how} ${sent.decision} gave ${JSON.stringify(outcome)}`);
    };
    const status = outcome.kind === 'refused' ? outcome.status : 200;
    if (how.startsWith('foreign') && status !== 403) say('[CALL6] not refused as foreign');
    if (how === 'unknown-id' && status !== 404) say('[HTTP14] not refused as unknown');
    if (how === 'stale-turn' && status !== 409) say('[CALL4] not refused as stale');
    if ((how === 'stale-hash' || how === 'misedited') && sent.decision === 'approve' && outcome.kind === 'recorded')
      say('[CALL7] recorded');
    if (outcome.kind !== 'recorded') continue;
    recorded.set(shown.approvalId, (recorded.get(shown.approvalId) ?? 0) + 1);
    const row = record.approvals.find(({ id }) => id === shown.approvalId);
    const kept = row?.decision === sent.decision && (sent.decision === 'deny' || row.scope === (sent.scope ?? 'once'));
    if (!kept) say(`[STORE3] was lost: the record says ${row?.decision ?? 'nothing'}`);
  }
  for (const [id, count] of recorded) if (count > 1) wrong.push(`[CALL8] ${id} was decided ${count} times`);
  const refusals = record.audit.filter(
    ({ kind, who }) => kind === 'refusal' && who !== undefined && who.id === 'kim',
  ).length;
  const refused = lab.decisions.filter(({ outcome }) => outcome?.kind === 'refused').length;
  const unheard = lab.decisions.filter(({ outcome }) => outcome === undefined).length;
  if (refusals < refused || refusals > refused + unheard)
    wrong.push(`[CALL6] ${refused} refused, ${refusals} in the audit`);
  for (const approval of record.approvals) {
    const answers = record.messages.filter(({ toolCallId }) => toolCallId === approval.id).length;
    if (answers !== 1) wrong.push(`[CALL4] ${approval.id} has ${answers} answers`);
    const asked = record.messages.find(({ id }) => id === approval.messageId);
    if (asked?.toolCalls?.[0]?.id !== approval.id) wrong.push(`[CALL3] ${approval.id} has no question`);
  }
  return wrong;
}

function wrongWithMessages(lab: Lab, record: WorldRecordOf): string[] {
  const wrong: string[] = [];
  for (const chat of record.chats) {
    const seqs = record.messages.filter(({ chatId }) => chatId === chat.id).map(({ seq }) => seq);
    if (!isDeepStrictEqual(seqs, countTo(chat.lastSeq)))
      wrong.push(`[STORE1] messages ${seqs.join()} of ${chat.lastSeq}`);
    if (chat.status !== 'idle') wrong.push(`[WORLD8] a chat at rest is ${chat.status}`);
  }
  for (const sent of lab.messages) {
    const kept = record.messages.filter(({ clientMessageId }) => clientMessageId === sent.clientMessageId);
    if (kept.length > 1) wrong.push(`[STORE3] ${sent.clientMessageId} was kept twice`);
    if (sent.messageId !== undefined && kept[0]?.id !== sent.messageId)
      wrong.push(`[STORE3] ${sent.clientMessageId} was lost`);
  }
  const answers = record.messages.filter(({ providerState }) => providerState !== null);
  const contents = answers.map(({ content }) => /answer \d+/.exec(content)?.[0] ?? '');
  if (new Set(contents).size !== contents.length) wrong.push('[STORE3] an answer of the model was kept twice');
  const callIds = new Set(record.calls.map(({ row }) => row.id));
  for (const { toolCalls } of answers) {
    for (const { id } of toolCalls ?? []) if (!callIds.has(id)) wrong.push(`[TURN1] ${id} has no invocation`);
  }
  if (callIds.size !== record.calls.length) wrong.push('[MODEL5] two calls share an id');
  return wrong;
}

function wrongWithTurns(record: WorldRecordOf): string[] {
  const wrong = record.missingTurns.map((turn) => `[STORE1] ${turn} has no turn`);
  if (record.unfinished.length > 0) wrong.push(`[STORE3] ${record.unfinished.length} turns did not end`);
  for (const turn of record.turns) {
    if (turn.state !== 'ended') wrong.push(`[STORE3] ${turn.id} is ${turn.state}`);
    const own = record.messages.filter(({ turnId }) => turnId === turn.id);
    const answers = own.filter(({ providerState }) => providerState !== null);
    const iterations = answers.map(({ iteration }) => iteration);
    const told = turn.outcome === 'passed' ? turn.iteration - 1 : turn.iteration;
    if (!isDeepStrictEqual(iterations, countTo(told)))
      wrong.push(`[TURN5] model answers ${iterations.join()} of ${told}`);
    wrong.push(...wrongOrder(record, turn.id));
    if (turn.outcome === 'answered' && !isLastWord(own)) wrong.push('[TURN5] something followed the answer');
  }
  return wrong;
}

/** Nothing in a tool turn may happen before the previous one has settled (TURN5, TURN8). */
function wrongOrder(record: WorldRecordOf, turnId: string): string[] {
  const calls = record.calls.filter(({ row }) => row.turnId === turnId);
  const early = calls.filter(({ row, events }) =>
    calls.some(
      (before) =>
        before.row.iteration === row.iteration - 1 && (before.events.at(-1)?.id ?? 0) > (events[0]?.id ?? Infinity),
    ),
  );
  return early.map(({ row }) => `[TURN8] ${row.toolName} began before the tool turn before it had settled`);
}

function isLastWord(own: readonly MessageRecord[]): boolean {
  const last = own.at(-1);
  return last?.role === 'assistant' && last.toolCalls === null;
}

function wrongWithEvents(lab: Lab, record: WorldRecordOf): string[] {
  const wrong: string[] = [];
  const ids = record.events.map(({ id }) => id);
  if (ids.some((id, at) => id !== lab.firstEventId + at)) wrong.push(`[STORE6] the log has gaps: ${ids.join()}`);
  const stored = new Map(record.events.map((event) => [event.id, event]));
  for (const heard of lab.heard) {
    let last: number | undefined;
    for (const event of heard.filter(isStored)) {
      const kept = stored.get(event.id);
      if (kept === undefined || !isDeepStrictEqual(toWorldEvent(kept), event)) {
        wrong.push(`[STORE1] heard and not kept: ${JSON.stringify(event)}`);
      }
      if (last !== undefined && event.id !== last + 1) wrong.push(`[STORE1] heard ${event.id} after ${last}`);
      last = event.id;
    }
  }
  return wrong;
}

function isStored(event: WorldEvent): boolean {
  return event.event !== 'sse' && event.event !== 'tool-output';
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, at) => at + 1);
}
