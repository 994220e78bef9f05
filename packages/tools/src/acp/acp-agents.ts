import { isDeepStrictEqual } from 'node:util';
import {
  errorMessage,
  onAbort,
  pauseFor,
  ProviderError,
  ToolFailure,
  untilAborted,
  type AgentSession,
  type Clock,
  type GenerateRequest,
  type LLMResponse,
  type Provider,
  type Tool,
  type ToolContext,
} from '@countersign/core/ports';
import { ACP_PROVIDER, acpProgram } from '@countersign/protocol';
import { externalTool } from '../external/external-tool.js';
import { finishCall } from './finish-call.js';
import { liveSessions } from './live-sessions.js';
import type { Session } from './open-session.js';
import type { Permission } from './permission.js';
import type { AgentPlace } from './start-agent.js';
import type { Prompt } from './prompt.js';
import { titleFrom, writePrompt } from './write-prompt.js';

/** Agents that are other programs, over the Agent Client Protocol (EXT3). */
export interface AcpAgents {
  readonly provider: Provider;
  /** Like `externalTool`. A call of an ACP agent runs by telling its program that it may. */
  readonly externalTool: (name: string) => Tool | undefined;
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };
/** How long an agent may take to end its turn after it was told to. */
const CANCEL_MS = 10_000;
/** Agents send requests for parallel calls one after the other. */
const GATHER_MS = 25;

const GONE =
  "Nothing ran: the agent isn't waiting for this call anymore, because its program was restarted or runs in another process.";

export function acpAgents({ clock, ...place }: { clock: Clock } & AgentPlace): AcpAgents {
  const asked = new Map<string, { key: string; prompt: Prompt; permission: Permission }>();
  /** Prompts whose turn has ended, and that are killed if they don't stop. */
  const ending = new WeakSet<Prompt>();
  const sessions = liveSessions({ clock, place, onEnd: forgetAsked });

  function forgetAsked(key: string): void {
    for (const [id, { key: of }] of asked) if (of === key) asked.delete(id);
  }

  /** Ends what the agent still does for an earlier turn. Resolves to false if it doesn't stop. */
  async function endEarlier(session: Session, signal: AbortSignal): Promise<boolean> {
    const earlier = session.prompt();
    if (earlier === undefined || earlier.end() !== undefined) return true;
    if (!earlier.isCancelled()) session.cancel();
    const over = new AbortController();
    const late = pauseFor(clock, CANCEL_MS, over.signal).catch(() => undefined);
    await untilAborted(() => Promise.race([earlier.finished, late]), signal).finally(() => over.abort());
    return earlier.end() !== undefined;
  }

  async function promptOf(key: string, place: AgentSession, request: GenerateRequest): Promise<[Session, Prompt]> {
    let session = await untilAborted(() => sessions.find(key, place, request), request.signal);
    const current = session.prompt();
    if (current?.turnId === place.turnId && current.isOpen()) {
      // All calls of the last response have ended, so those that nobody allowed were denied.
      current.rejectExcept([]);
      return [session, current];
    }
    if (!(await endEarlier(session, request.signal))) {
      await sessions.drop(key);
      session = await untilAborted(() => sessions.find(key, place, request), request.signal);
    }
    if (!(await place.isCurrent())) {
      await sessions.drop(key);
      throw new Error('its settings were changed while it started. Send your message again');
    }
    const text = writePrompt(request.messages, session.continuation());
    return [session, sessions.send(key, session, place.turnId, text)];
  }

  async function generate(request: GenerateRequest): Promise<LLMResponse> {
    const { session: place, signal, onChunk, onThinking = () => undefined } = request;
    if (request.purpose === 'title') return { type: 'text', content: titleFrom(request.messages), usage: NO_USAGE };
    if (place === undefined) throw failed('The agent has no command. Edit the agent.');
    const key = keyOf(place);
    // All calls of the last response have ended.
    forgetAsked(key);
    let session: Session;
    let prompt: Prompt;
    // It may take a while, also after the server was killed.
    if (request.stream && sessions.get(key)?.isAlive() !== true) onThinking(`Starting ${acpProgram(place.acp)}…\n`);
    try {
      [session, prompt] = await promptOf(key, place, request);
    } catch (error) {
      if (signal.aborted) throw error;
      throw failed(`${capitalized(errorMessage(error)).replace(/\.$/, '')}.`);
    } finally {
      sessions.release(key, request);
    }
    prompt.listen(request.stream ? { onChunk, onThinking } : undefined);
    const stopped = onAbort(signal, () => session.cancel());
    try {
      await untilAborted(() => prompt.news(), signal);
      if (prompt.end() === undefined) await pauseFor(clock, GATHER_MS, signal);
    } finally {
      stopped();
      prompt.listen(undefined);
    }
    const { content, thinking } = prompt.take();
    const common = {
      content,
      ...(thinking === '' ? {} : { thinking }),
      usage: NO_USAGE,
      providerState: { sessionId: session.id, cwd: session.workingDirectory },
    };
    const calls = prompt.takeAsked();
    if (calls.length > 0) {
      for (const permission of calls) asked.set(permission.id, { key, prompt, permission });
      return {
        type: 'tool_calls',
        ...common,
        tool_calls: calls.map(({ id, toolName: name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      };
    }
    const end = prompt.close();
    if (end?.kind === 'failed') throw failed(`${capitalized(end.reason)}. Send your message again to restart it.`);
    const note = STOPPED[end?.stopReason ?? ''];
    return { type: 'text', ...common, content: note === undefined ? content : `${content}\n\n[${note}]`.trim() };
  }

  async function run(args: unknown, context: ToolContext): Promise<unknown> {
    const { vendorId = '', workingDirectory, signal } = context;
    const found = asked.get(vendorId);
    asked.delete(vendorId);
    const session = found === undefined ? undefined : sessions.get(found.key);
    // Only the request that was approved, in the place for which it was approved. Anything else is a no.
    const isSame =
      found !== undefined &&
      found.key === keyOf(context) &&
      session?.isAlive() === true &&
      session.prompt() === found.prompt &&
      session.workingDirectory === workingDirectory &&
      isDeepStrictEqual(args, JSON.parse(JSON.stringify(found.permission.arguments)));
    const call = isSame && !signal.aborted ? found.prompt.allow(found.permission) : undefined;
    if (found === undefined || call === undefined) throw new ToolFailure(GONE);
    return await finishCall(clock, found.prompt, call, context);
  }

  return {
    provider: {
      name: ACP_PROVIDER,
      contextTokens: () => 200_000,
      generate,
      endTurn(turnId) {
        for (const [key, session] of sessions.list()) {
          const prompt = session.prompt();
          if (prompt?.turnId !== turnId) continue;
          forgetAsked(key);
          if (prompt.end() !== undefined || ending.has(prompt)) continue;
          ending.add(prompt);
          session.cancel();
          const late = clock.after(CANCEL_MS, () => void (prompt.end() ?? sessions.drop(key)), { background: true });
          void prompt.finished.then(late);
        }
      },
      openTurns: () =>
        sessions.list().flatMap(([, session]) => {
          const prompt = session.prompt();
          return prompt === undefined || prompt.end() !== undefined || ending.has(prompt) ? [] : [prompt.turnId];
        }),
      close: () => sessions.close(),
    },
    externalTool(name) {
      const tool = externalTool(name);
      return tool === undefined ? undefined : { ...tool, execute: run };
    },
  };
}

function keyOf({ worldId, chatId, agentId }: Pick<AgentSession, 'worldId' | 'chatId' | 'agentId'>): string {
  return JSON.stringify([worldId, chatId, agentId]);
}

const STOPPED: Readonly<Record<string, string | undefined>> = {
  max_tokens: 'The agent stopped, because its answer became too long.',
  max_turn_requests: 'The agent stopped, because it called its model too often.',
  refusal: 'The agent refused to continue.',
};

function failed(message: string): ProviderError {
  return new ProviderError('agent-failed', message);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
