import { setImmediate } from 'node:timers/promises';
import {
  listApprovals,
  listGrants,
  publishMessage,
  decideCall,
  revokeGrant,
  setPolicy,
  stopChat,
} from '@countersign/core';
import { ProviderError, type LLMResponse } from '@countersign/core/ports';
import type { Approval, Scope, ToolDecision, ToolResultOutcome } from '@countersign/protocol';
import { toCall, type CallKind } from './lab-tools.js';
import { chatMark, finishModel, finishTool, restart, reviveIfDead, type Lab } from './lab.js';

type Addressee = 'nobody' | 'ada' | 'ben' | 'both' | 'stranger';

type Reply =
  | { kind: 'calls'; calls: readonly { tool: CallKind; n: number; vendorId: string }[] }
  | { kind: 'say'; to: Addressee }
  | { kind: 'pass' }
  | { kind: 'empty' }
  | { kind: 'fail'; failure: 'bad-request' | 'overloaded' };

/** How a decision differs from a valid one. */
type How =
  | 'plain'
  | 'by-call'
  | 'edited'
  | 'misedited'
  | 'stale-hash'
  | 'stale-turn'
  | 'foreign-agent'
  | 'foreign-chat'
  | 'unknown-id';

export type Command = { ticks: number | 'all' } & (
  | { do: 'send'; chat: 0 | 1; to: Addressee; again: boolean }
  | { do: 'model'; pick: number; reply: Reply }
  | { do: 'tool'; pick: number; ok: boolean }
  | {
      do: 'decide';
      pick: number;
      decision: 'approve' | 'deny';
      scope: Scope;
      how: How;
      times: number;
      pending: boolean;
    }
  | { do: 'client'; pick: number; ok: boolean; foreign: boolean }
  | { do: 'stop'; chat: 0 | 1 }
  | { do: 'crash'; after: number; again?: number }
  | { do: 'restart' }
  | { do: 'advance'; ms: number }
  | { do: 'revoke'; pick: number }
  | { do: 'policy'; rules: readonly string[] }
  | { do: 'move'; folder: string }
);

const SIGNER = { who: { kind: 'person', id: 'kim', name: 'kim' }, via: 'lab' } as const;

/**
 * Performs one command and lets the given number of ticks pass, so that the next command interrupts its effects. Nothing in a lab waits for
 * anything external, so runs are deterministic.
 */
export async function perform(lab: Lab, command: Command): Promise<void> {
  await reviveIfDead(lab);
  const work = start(lab, command);
  // A dying process doesn't respond; every other request must get a response.
  const { simulated } = lab;
  work.catch((error: unknown) => {
    if (!simulated.isDead()) lab.violations.push(`${command.do} was refused: ${String(error)}`);
  });
  if (command.do === 'restart') await work;
  else await pass(lab, command.ticks);
}

/** The number of microtasks before the next event loop iteration, in which steps are committed. */
const MICROTASKS = 6;

async function pass({ ground }: Lab, ticks: number | 'all'): Promise<void> {
  if (ticks === 'all') return ground.settle();
  for (let tick = 1; tick <= ticks; tick += 1) {
    if (tick % MICROTASKS === 0) await setImmediate();
    else await Promise.resolve();
  }
}

async function start(lab: Lab, command: Command): Promise<void> {
  const { worldId, engine } = lab;
  const { runtime } = engine;
  switch (command.do) {
    case 'send':
      return send(lab, command);
    case 'model': {
      const model = pickFrom(lab.models, command.pick);
      if (model !== undefined) finishModel(lab, model, toAnswer(lab, command.reply, chatMark(model.request)));
      return;
    }
    case 'tool': {
      const tool = pickFrom(lab.running, command.pick);
      if (tool !== undefined) finishTool(lab, tool, command.ok);
      return;
    }
    case 'decide': {
      const approvals = await listApprovals(runtime, worldId, command.pending ? { status: 'pending' } : {});
      const shown = pickFrom(approvals, command.pick);
      if (shown === undefined) return;
      const { how, decision, scope } = command;
      await Promise.all(Array.from({ length: command.times }, () => decide(lab, shown, { how, decision, scope })));
      return;
    }
    case 'client': {
      const call = pickFrom(await engine.clients.pending(lab.clientId), command.pick);
      if (call === undefined) return;
      const answer = command.ok ? { content: 'tapped' } : { error: 'no finger' };
      const outcome = await engine.clients.answer(command.foreign ? 'client_of_others' : lab.clientId, {
        tool_call_id: call.id,
        ...answer,
      });
      if (command.foreign !== isForeign(outcome)) lab.violations.push(`[CALL16] ${JSON.stringify(outcome)}`);
      return;
    }
    case 'stop':
      lab.changes.add('stop');
      return stopChat(runtime, worldId, lab.chatIds[command.chat], SIGNER);
    case 'crash':
      lab.dieAgainAfter = command.again;
      if (command.after === 0) lab.simulated.die();
      else lab.simulated.dieAfter(command.after);
      return;
    case 'restart':
      return restart(lab);
    case 'advance':
      lab.clock.advance(command.ms);
      return;
    case 'revoke': {
      const grant = pickFrom(await listGrants(runtime, worldId), command.pick);
      if (grant === undefined) return;
      lab.changes.add('revoke');
      await revokeGrant(runtime, worldId, grant.grantId, SIGNER);
      return;
    }
    case 'policy':
      lab.changes.add('policy');
      await setPolicy(runtime, worldId, command.rules, SIGNER);
      return;
    case 'move':
      if (lab.folder !== command.folder) lab.changes.add('folder');
      lab.folder = command.folder;
  }
}

function isForeign(outcome: ToolResultOutcome): boolean {
  return outcome.kind === 'refused' && outcome.code === 'foreign';
}

async function send(lab: Lab, command: Extract<Command, { do: 'send' }>): Promise<void> {
  const last = lab.messages.at(-1);
  const isRepeat = command.again && last !== undefined;
  const sent = isRepeat ? last : { chatId: lab.chatIds[command.chat], clientMessageId: `m${lab.messages.length}` };
  if (!isRepeat) lab.messages.push(sent);
  const { messageId } = await publishMessage(lab.engine.runtime, {
    worldId: lab.worldId,
    chatId: sent.chatId,
    speaker: 'human',
    content: `${mention(command.to)}hello ${sent.clientMessageId} ${mark(lab, sent.chatId)}`,
    clientMessageId: sent.clientMessageId,
  });
  const known = lab.messages.find((message) => message.clientMessageId === sent.clientMessageId);
  if (known === undefined) return;
  if (known.messageId !== undefined && known.messageId !== messageId) {
    lab.violations.push(`[STORE1] ${sent.clientMessageId} is two messages`);
  }
  known.messageId = messageId;
}

function mark(lab: Lab, chatId: string): string {
  return `#chat${lab.chatIds.indexOf(chatId)}`;
}

function mention(to: Addressee): string {
  switch (to) {
    case 'nobody':
      return '';
    case 'ada':
      return '@Ada ';
    case 'ben':
      return '@Ben ';
    case 'both':
      return '@Ada, @Ben ';
    case 'stranger':
      return '@Zoe ';
  }
}

let answers = 0;

function toAnswer(lab: Lab, reply: Reply, chat: string): LLMResponse | ProviderError {
  const usage = { inputTokens: 2, outputTokens: 1 };
  answers += 1;
  switch (reply.kind) {
    case 'calls':
      return {
        type: 'tool_calls',
        content: `answer ${answers} ${chat}`,
        usage,
        tool_calls: reply.calls.map(({ tool, n, vendorId }) => ({
          id: vendorId,
          type: 'function',
          function: toCall(tool, n, lab.tap),
        })),
      };
    case 'say':
      return { type: 'text', content: `${mention(reply.to)}answer ${answers} ${chat}`, usage };
    case 'pass':
      return { type: 'text', content: '<world>PASS</world>', usage };
    case 'empty':
      return { type: 'text', content: '', usage };
    case 'fail':
      return new ProviderError(reply.failure, 'no answer today');
  }
}

async function decide(
  lab: Lab,
  shown: Approval,
  { how, decision, scope }: { how: How; decision: 'approve' | 'deny'; scope: Scope },
): Promise<void> {
  const edited = how === 'edited' ? { arguments: { n: 7 } } : how === 'misedited' ? { arguments: { n: 'x' } } : {};
  const otherChat = lab.chatIds.find((chatId) => chatId !== shown.chatId) ?? '';
  const otherAgent = lab.agentIds.find((agentId) => agentId !== shown.agentId) ?? '';
  const sent: ToolDecision = {
    tool_call_id:
      how === 'unknown-id' ? 'approval_of_nothing' : how === 'by-call' ? shown.toolCallId : shown.approvalId,
    decision,
    callHash: how === 'stale-hash' ? 'of another call' : shown.callHash,
    turnId: how === 'stale-turn' ? 'turn_x.1' : shown.turnId,
    chatId: how === 'foreign-chat' ? otherChat : shown.chatId,
    ...(decision === 'approve' ? { scope, ...edited } : {}),
  };
  const entry: Lab['decisions'][number] = { how, sent, shown };
  lab.decisions.push(entry);
  const agentId = how === 'foreign-agent' ? otherAgent : shown.agentId;
  entry.outcome = await decideCall(lab.engine.runtime, lab.worldId, agentId, sent, SIGNER);
}

/** Lets everything finish: no further crashes except those already scheduled, every approval decided, every tool and model call finished. */
export async function finish(lab: Lab, approve: (at: number) => boolean): Promise<void> {
  let answered = 0;
  for (let round = 0; round < 200; round += 1) {
    await lab.ground.settle();
    await reviveIfDead(lab);
    const { models, running } = lab;
    if (models.length + running.length > 0) {
      for (const tool of [...running]) finishTool(lab, tool, true);
      for (const model of [...models]) {
        finishModel(lab, model, toAnswer(lab, { kind: 'say', to: 'nobody' }, chatMark(model.request)));
      }
      continue;
    }
    const asked = listApprovals(lab.engine.runtime, lab.worldId, { status: 'pending' });
    const approvals = (await unlessDead(lab, asked)) ?? [];
    for (const shown of approvals) {
      answered += 1;
      const decision = approve(answered) ? 'approve' : 'deny';
      await unlessDead(lab, decide(lab, shown, { how: 'plain', decision, scope: 'once' }));
    }
    const { clients } = lab.engine;
    const calls = (await unlessDead(lab, clients.pending(lab.clientId))) ?? [];
    for (const call of calls) {
      await unlessDead(lab, clients.answer(lab.clientId, { tool_call_id: call.id, content: 'ok' }));
    }
    if (approvals.length + calls.length > 0 || lab.simulated.isDead()) continue;
    const left = await lab.store.read((reader) => reader.unfinishedTurns());
    if (left.length === 0) return;
    // For a delayed retry, or a client that left: only the clock triggers these.
    lab.clock.advance(round % 10 === 9 ? 31_000 : 1_100);
  }
  lab.violations.push('[STORE3] the world did not come to rest');
}

/** A dying process doesn't respond; the request goes to the next one. */
async function unlessDead<T>({ simulated }: Lab, work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (!simulated.isDead()) throw error;
    return undefined;
  });
}

function pickFrom<T>(list: readonly T[], pick: number): T | undefined {
  return list[pick % Math.max(1, list.length)];
}
