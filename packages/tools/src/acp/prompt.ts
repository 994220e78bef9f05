import { isDeepStrictEqual } from 'node:util';
import type {
  PermissionOption,
  RequestPermissionOutcome,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { createPermission, type Permission } from './permission.js';
import {
  allowOnce,
  CANCELLED,
  mergeCall,
  readAsked,
  refuse,
  resultOf,
  titleOf,
  type AskedCall,
} from './read-permission.js';
import { planText, aloneText, refusedText } from './show-update.js';

/** How a call that was allowed ended. */
export type CallEnd = { kind: 'completed' | 'failed'; text: string } | { kind: 'not-reported' } | { kind: 'lost' };

/** A call that was allowed. */
export interface AllowedCall {
  /** Resolves when the agent reports how the call ended. */
  readonly ended: Promise<CallEnd>;
  readonly hasStarted: () => boolean;
}

/** How the agent's answer to a prompt ended. */
type PromptEnd = { kind: 'answered'; stopReason: string } | { kind: 'failed'; reason: string };

const LONGEST_TEXT = 1_000_000;
const LONGEST_THINKING = 50_000;
const MAX_WAITING = 64;

/** One prompt to an agent, from its text to the end of its turn: what it says, and for which calls it asks. */
export interface Prompt {
  readonly turnId: string;
  /** Resolves when the agent asks for something or has ended. */
  news(): Promise<void>;
  end(): PromptEnd | undefined;
  /** Resolves when the agent has ended its turn. */
  readonly finished: Promise<void>;
  /** The text and thinking since the last call. */
  take(): { content: string; thinking: string };
  /** Passes on text and thinking from now on, as it arrives. */
  listen(to: { onChunk(text: string): void; onThinking(text: string): void } | undefined): void;
  /** The requests that haven't been proposed yet. They count as proposed from now on. */
  takeAsked(): readonly Permission[];
  /** Whether the agent waits for a request that hasn't been proposed. */
  hasNewRequests(): boolean;
  /** Whether the agent waits for a request that was proposed. */
  hasProposed(): boolean;
  /** Rejects the proposed requests that nobody allowed, except those with these ids. */
  rejectExcept(open: readonly string[]): void;
  /** Answers all requests with `cancelled`, also those that follow. */
  cancel(): void;
  isCancelled(): boolean;
  /** Whether nobody has heard yet that the agent has ended its turn. */
  isOpen(): boolean;
  /** The end of the agent's turn, once it was told. */
  close(): PromptEnd | undefined;
  /** Undefined if the agent isn't waiting for the call. */
  allow(permission: Permission): AllowedCall | undefined;
  /** Called for each message of the agent. */
  update(update: SessionUpdate): void;
  ask(call: ToolCallUpdate, options: readonly PermissionOption[]): Promise<RequestPermissionOutcome>;
  finish(end: PromptEnd): void;
}

export function createPrompt(turnId: string, program: string): Prompt {
  const calls = new Map<string, ToolCallUpdate>();
  const asked = new Set<string>();
  /** Calls to which the last answer was a no. */
  const refused = new Set<string>();
  const running = new Map<string, { start: () => void; end: (end: CallEnd) => void }>();
  let waiting: Permission[] = [];
  const proposed = new Set<Permission>();
  let ended: PromptEnd | undefined;
  let isCancelled = false;
  let isClosed = false;
  let content = '';
  let thinking = '';
  let listener: { onChunk(text: string): void; onThinking(text: string): void } | undefined;
  let wake = (): void => undefined;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));

  function say(text: string): void {
    const kept = text.slice(0, Math.max(0, LONGEST_TEXT - content.length));
    content += kept;
    if (kept !== '') listener?.onChunk(kept);
  }

  function think(text: string): void {
    const kept = text.slice(0, Math.max(0, LONGEST_THINKING - thinking.length));
    thinking += kept;
    if (kept !== '') listener?.onThinking(kept);
  }

  function follow(update: ToolCallUpdate): void {
    const call = mergeCall(calls.get(update.toolCallId), update);
    calls.set(call.toolCallId, call);
    const { status, toolCallId } = call;
    const run = running.get(toolCallId);
    if (update.status === 'in_progress') run?.start();
    if (update.status !== 'completed' && update.status !== 'failed') return;
    if (run !== undefined) {
      running.delete(toolCallId);
      run.end({ kind: status === 'failed' ? 'failed' : 'completed', text: resultOf(call) });
    } else if (!asked.has(toolCallId)) think(aloneText(call));
    else if (status === 'completed' && refused.delete(toolCallId)) think(refusedText(call));
  }

  /** Whether the agent still describes a call as it did when it asked. */
  function isAsAsked({ toolName, arguments: args, ...permission }: Permission): boolean {
    return isDeepStrictEqual(describedNow(permission), { toolName, arguments: args });
  }

  function describedNow({ toolCallId }: Pick<Permission, 'toolCallId'>): AskedCall {
    return readAsked(program, calls.get(toolCallId) ?? { toolCallId });
  }

  return {
    turnId,
    news() {
      if (waiting.length > 0 || ended !== undefined) return Promise.resolve();
      return new Promise((resolve) => (wake = resolve));
    },
    end: () => ended,
    finished,
    take() {
      const taken = { content, thinking };
      content = thinking = '';
      return taken;
    },
    listen(to) {
      listener = to;
      if (to === undefined) return;
      if (thinking !== '') to.onThinking(thinking);
      if (content !== '') to.onChunk(content);
    },
    takeAsked() {
      const open = waiting.filter((permission) => !permission.isAnswered());
      // A report on the call may arrive right after the request, with more arguments. Nobody has seen the call before.
      const taken = open.map((permission) => ({ ...permission, ...describedNow(permission) }));
      waiting = [];
      for (const permission of taken) proposed.add(permission);
      return taken;
    },
    hasNewRequests: () => waiting.some((permission) => !permission.isAnswered()),
    hasProposed: () => [...proposed].some((permission) => !permission.isAnswered()),
    rejectExcept(open) {
      for (const permission of proposed) {
        if (open.includes(permission.id)) continue;
        permission.answer(refuse(permission.options));
        proposed.delete(permission);
      }
    },
    cancel() {
      isCancelled = true;
      for (const permission of [...waiting, ...proposed]) permission.answer(CANCELLED);
      waiting = [];
    },
    isCancelled: () => isCancelled,
    isOpen: () => !isCancelled && !isClosed,
    close() {
      isClosed = ended !== undefined;
      return ended;
    },
    allow(permission) {
      const optionId = allowOnce(permission.options);
      const isOurs = proposed.has(permission) && !permission.isAnswered();
      if (optionId === undefined || !isOurs || ended !== undefined || isCancelled) return undefined;
      if (!isAsAsked(permission)) return undefined;
      let hasStarted = false;
      const whenEnded = new Promise<CallEnd>((end) => {
        running.set(permission.toolCallId, { start: () => (hasStarted = true), end });
      });
      permission.answer({ outcome: 'selected', optionId });
      return { ended: whenEnded, hasStarted: () => hasStarted };
    },
    update(update) {
      const { sessionUpdate: kind } = update;
      if (kind === 'agent_message_chunk' && update.content.type === 'text') say(update.content.text);
      if (kind === 'agent_thought_chunk' && update.content.type === 'text') think(update.content.text);
      if (kind === 'plan') think(planText(update));
      if (kind === 'tool_call' || kind === 'tool_call_update') follow(update);
    },
    async ask(call, options) {
      if (isCancelled || ended !== undefined || waiting.length >= MAX_WAITING) return CANCELLED;
      const { toolCallId } = call;
      const isWaiting = ({ toolCallId: id, isAnswered }: Permission): boolean => id === toolCallId && !isAnswered();
      // One id must not stand for two calls: the agent's reports couldn't be told apart.
      if ([...waiting, ...proposed].some(isWaiting)) return refuse(options);
      asked.add(toolCallId);
      refused.delete(toolCallId);
      const merged = mergeCall(calls.get(toolCallId), call);
      calls.set(toolCallId, merged);
      const yes = allowOnce(options);
      if (yes === undefined) {
        think(`\nRefused: ${titleOf(merged)}. The agent offers no way to allow it only once.\n`);
        refused.add(toolCallId);
        return refuse(options);
      }
      // The agent asks again for a call that it was allowed to run, so it doesn't report the end of the first try.
      running.get(toolCallId)?.end({ kind: 'not-reported' });
      running.delete(toolCallId);
      const { permission, outcome } = createPermission(readAsked(program, merged), toolCallId, options);
      waiting.push(permission);
      wake();
      const answer = await outcome;
      if (answer.outcome !== 'selected' || answer.optionId !== yes) refused.add(toolCallId);
      return answer;
    },
    finish(end) {
      if (ended !== undefined) return;
      ended = end;
      const lost: CallEnd = end.kind === 'failed' ? { kind: 'lost' } : { kind: 'not-reported' };
      for (const run of running.values()) run.end(lost);
      running.clear();
      for (const permission of [...waiting, ...proposed]) permission.answer(CANCELLED);
      waiting = [];
      finish();
      wake();
    },
  };
}
