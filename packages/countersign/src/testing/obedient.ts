import type { GenerateRequest, Tool } from '@countersign/core/ports';
import type { ScriptedCall, ScriptedReply } from '@countersign/core/testing';
import type { Approval, ToolDefinition } from '@countersign/protocol';
import type { Settled } from '../world/until-settled.js';
import { gated, type TestWorld } from './fixture.js';

/** A model that makes the calls in a JSON message and then answers `done`. It answers any other message with `ok`. */
export function obedient({ messages }: Pick<GenerateRequest, 'messages'>): ScriptedReply {
  const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system');
  if (told === undefined || !told.content.startsWith('[')) return 'ok';
  const settled = messages.slice(messages.indexOf(told)).some((message) => message !== told);
  return settled ? 'done' : { calls: JSON.parse(told.content) as ScriptedCall[] };
}

/** Makes the model request these calls in one response. Resolves when the chat is idle or waits for a person. */
export async function propose({ chat }: Pick<TestWorld, 'chat'>, ...calls: readonly ScriptedCall[]): Promise<Settled> {
  await chat.send(JSON.stringify(calls));
  return await chat.settled();
}

/** A gated tool, and the arguments of all its runs. */
export function recorder(
  name = 'remove',
  more: Partial<ToolDefinition> = {},
): { runs: Record<string, unknown>[]; tool: Tool } {
  const runs: Record<string, unknown>[] = [];
  const tool = gated(
    name,
    async (args) => {
      runs.push(args);
      return `${name} ran`;
    },
    more,
  );
  return { runs, tool };
}

/** A call of the tool that `recorder` makes. */
export const remove = (path: string) => ({ name: 'remove', arguments: { path } });

/** The results in the model's last view, parsed as JSON. */
export function lastResults({ provider }: Pick<TestWorld, 'provider'>): unknown[] {
  const messages = provider.requests.findLast(({ purpose }) => purpose === 'answer')?.messages ?? [];
  const from = messages.findLastIndex((message) => message.role === 'assistant');
  return messages
    .slice(from + 1)
    .flatMap((message) => (message.role === 'tool' ? [JSON.parse(message.content) as unknown] : []));
}

export function first<T>(list: readonly T[]): T {
  const [only] = list;
  if (only === undefined) throw new Error('there is no such approval');
  return only;
}

/** The approval for this path, for concurrent calls. */
export function about(approvals: readonly Approval[], path: string): Approval {
  return first(approvals.filter(({ arguments: args }) => JSON.stringify(args).includes(JSON.stringify(path))));
}
