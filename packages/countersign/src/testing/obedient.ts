import type { Tool } from '@countersign/core/ports';
import type { Script, ScriptedCall } from '@countersign/core/testing';
import type { Approval, ToolDefinition } from '@countersign/protocol';
import { gated, type TestWorld } from './fixture.js';

/** A model that makes the calls it was told to make, written as JSON, and then says `done`. Anything else it answers with `ok`. */
export const obedient: Script = ({ messages }) => {
  const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system');
  if (told === undefined || !told.content.startsWith('[')) return 'ok';
  const settled = messages.slice(messages.indexOf(told)).some((message) => message !== told);
  return settled ? 'done' : { calls: JSON.parse(told.content) as ScriptedCall[] };
};

/** Has the model make these calls in one answer. Resolves when the chat is idle or waits for a person. */
export async function propose(
  { chat }: Pick<TestWorld, 'chat'>,
  ...calls: readonly ScriptedCall[]
): Promise<'idle' | 'waiting'> {
  await chat.send(JSON.stringify(calls));
  return await chat.settled();
}

/** A gated tool and the arguments of every run it ever had. */
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

/** What the model was given as results in its last view, read as the JSON it is. */
export function lastResults({ provider }: Pick<TestWorld, 'provider'>): unknown[] {
  const messages = provider.requests.findLast(({ purpose }) => purpose === 'answer')?.messages ?? [];
  const from = messages.findLastIndex((message) => message.role === 'assistant');
  return messages
    .slice(from + 1)
    .flatMap((message) => (message.role === 'tool' ? [JSON.parse(message.content) as unknown] : []));
}

export function first<T>(list: readonly T[]): T {
  const [only] = list;
  if (only === undefined) throw new Error('there is none');
  return only;
}

/** The approval about this path, for calls made side by side. */
export function about(approvals: readonly Approval[], path: string): Approval {
  return first(approvals.filter(({ arguments: args }) => JSON.stringify(args).includes(JSON.stringify(path))));
}
