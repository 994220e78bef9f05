import {
  CountersignError,
  modelSettings,
  newAgentSchema,
  newMessageSchema,
  parseInput,
  prepareAnswer,
  type Signer,
} from '@countersign/protocol';
import type { CallRecord, WorldHandle } from '../ports/index.js';
import { agentMayAskFor } from '../policy/index.js';
import { freeAgentId, refuseTakenName } from './agents.js';
import { assertRunning } from '../call/start.js';
import { chatIn, noWorld, commit, retry, retryStale } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { queueTurns } from '../step/move-turn.js';

/** What a running call may do in its world: send messages as its agent, and create agents with no more permissions (CALL17). */
export function openWorldHandle(runtime: Runtime, invocation: CallRecord): WorldHandle {
  return {
    sendMessage: async (message) => await sendMessage(runtime, invocation, message),
    createAgent: async (agent) => await createAgent(runtime, invocation, agent),
  };
}

async function sendMessage(
  runtime: Runtime,
  invocation: CallRecord,
  { content, chatId = invocation.chatId }: { content: string; chatId?: string },
): Promise<{ messageId: string; answeredBy: string[] }> {
  const said = parseInput(newMessageSchema, { content }, 'message');
  const { worldId, agentId } = invocation;
  const needs = { chats: [...new Set([invocation.chatId, chatId])], sent: { chatId, clientMessageId: invocation.id } };
  return await commit(runtime, 'send-message', worldId, needs, (step) => {
    assertRunning(step, invocation);
    const chat = chatIn(step.tx.chat(chatId), worldId, chatId);
    // The call was interrupted and runs again. The message has already been sent.
    const before = step.tx.sent(chat.id, invocation.id);
    if (before?.agentId === agentId) return { messageId: before.id, answeredBy: namesOf(step, before.addressees) };
    // A client may choose any id for its messages, including the id of a call.
    if (before !== undefined)
      throw new CountersignError('conflict', 'a client already sent a message with the id of this call');
    const prepared = prepareAnswer({
      content: said.content,
      agentId,
      answering: { kind: 'human' },
      agents: step.snapshot.addressable,
    });
    if (prepared.content.trim() === '') throw new CountersignError('invalid', 'the message is empty');
    const message = step.tx.newMessage(chat.id, {
      // The message isn't part of the turn, where it would look like the final answer.
      role: 'assistant',
      sender: agentId,
      speaker: 'agent',
      agentId,
      content: prepared.content,
      addressees: prepared.agentIds,
      clientMessageId: invocation.id,
      ...(chat.id === invocation.chatId ? { replyTo: invocation.messageId } : {}),
    });
    step.tx.write({ kind: 'message-sent', message });
    queueTurns(runtime, step, message, step.tx.turn(invocation.turnId)?.requester ?? null);
    return { messageId: message.id, answeredBy: namesOf(step, message.addressees) };
  });
}

function namesOf(step: Step, agentIds: readonly string[]): string[] {
  return agentIds.map((id) => step.snapshot.agentName(id));
}

async function createAgent(
  runtime: Runtime,
  invocation: CallRecord,
  wanted: { name: string; systemPrompt: string; tools: readonly string[] },
): Promise<{ agentId: string }> {
  const { worldId } = invocation;
  return await retryStale(async () => {
    const { snapshot, id } = await runtime.store.read(async (reader) => {
      const read = await runtime.caches.snapshots.read(reader, worldId);
      if (read === undefined) throw noWorld(worldId);
      return { snapshot: read, id: await freeAgentId(reader, read, wanted.name) };
    });
    return await commit(runtime, 'create-agent', worldId, { chats: [invocation.chatId] }, (step) => {
      assertRunning(step, invocation);
      // The id is free only if no agent was added or removed since.
      if (step.snapshot.world.rev !== snapshot.world.rev) retry();
      const maker = step.snapshot.agent(invocation.agentId);
      if (maker === undefined) throw new CountersignError('not-found', 'the agent that runs this call was removed');
      const { provider, model, policy, tools } = maker.definition;
      // A glob is permitted if one of the list's globs covers it, because that one covers all its matches.
      const foreign = wanted.tools.filter((tool) => !agentMayAskFor(tools, tool));
      if (foreign.length > 0) {
        throw new CountersignError(
          'invalid',
          `tools: an agent can only give a new agent tools that it has itself. It doesn't have: ${foreign.join(', ')}`,
        );
      }
      const definition = parseInput(
        newAgentSchema,
        {
          ...wanted,
          tools: [...wanted.tools],
          provider,
          model,
          policy,
          ...modelSettings(maker.definition),
        },
        'agent',
      );
      const signer: Signer = {
        who: { kind: 'agent', id: maker.id, name: maker.definition.name },
        via: invocation.id,
      };
      refuseTakenName(step.snapshot, definition, undefined);
      const makers = [...maker.makers, maker.id];
      const agent = { worldId, id, definition, makers, createdAt: step.tx.now() };
      step.tx.write({ kind: 'agent-added', agent, by: signer });
      return { agentId: id };
    });
  });
}
