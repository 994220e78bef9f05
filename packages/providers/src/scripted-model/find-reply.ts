import { toTest } from './script.js';
import type { ReplyConditions, ScriptedModelReply, ScriptedModelRequest } from './types.js';
import type { RequestMessage } from './wire.js';

/** The index of the first reply whose conditions are met, or -1. Depends only on the request, so it stays the same after a restart. */
export function findReply(replies: readonly ScriptedModelReply[], request: ScriptedModelRequest): number {
  return replies.findIndex(({ when }) => when === undefined || holds(when, request));
}

function holds(when: ReplyConditions, request: ScriptedModelRequest): boolean {
  const isIn = (condition: string | undefined, texts: readonly string[]): boolean =>
    condition === undefined || texts.some(toTest(condition));
  return (
    isIn(when.user, [request.user]) &&
    isIn(when.toolResult, request.toolResults) &&
    isIn(when.system, [request.system]) &&
    isIn(when.model, [request.model]) &&
    (when.tool === undefined || request.tools.includes(when.tool)) &&
    (when.turn === undefined || when.turn === request.turn)
  );
}

/** The current exchange: the last user message and everything after it. */
export function currentExchange(
  messages: readonly RequestMessage[],
): Pick<ScriptedModelRequest, 'user' | 'toolResults' | 'turn'> {
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1;
  // Some APIs merge consecutive user messages into one and others don't.
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'user') + 1;
  const after = messages.slice(end);
  const lastAnswer = after.findLastIndex(({ role }) => role === 'assistant');
  // Some APIs send the text and the calls in one answer as separate items.
  const answers = after.filter(({ role }, index) => role === 'assistant' && after[index - 1]?.role !== 'assistant');
  return {
    user: textOf(messages.slice(start, end)).join('\n'),
    toolResults: textOf(after.slice(lastAnswer + 1).filter(({ role }) => role === 'tool')),
    turn: answers.length + 1,
  };
}

function textOf(messages: readonly RequestMessage[]): string[] {
  return messages.map(({ text }) => text);
}
