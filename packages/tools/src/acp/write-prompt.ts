import type { ModelMessage } from '@countersign/core/ports';
import { z } from 'zod';

/** How a session continues. `live`: its program still runs. `loaded`: the program has restored it. `new`: it knows nothing. */
export type Continuation = 'live' | 'loaded' | 'new';

const stateSchema = z.object({ sessionId: z.string().min(1).max(1000), cwd: z.string() });
export type StoredSession = z.infer<typeof stateSchema>;

/** The session of the agent's last answer in this chat. */
export function storedSession(messages: readonly ModelMessage[]): StoredSession | undefined {
  const last = messages.findLast((message) => message.role === 'assistant' && message.providerState !== undefined);
  const read = stateSchema.safeParse(last?.role === 'assistant' ? last.providerState : undefined);
  return read.success ? read.data : undefined;
}

/** More than any agent reads. The oldest part is left out. */
const LONGEST = 200_000;
const RESTARTED =
  'Your program was restarted while your calls waited for a decision. None of the calls below that failed or were denied has run. Continue from here.';
const HISTORY = 'You are joining a conversation that is already going on. This is what was said before:';

/** What the agent hasn't seen yet, as text. */
export function writePrompt(messages: readonly ModelMessage[], how: Continuation): string {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  const rest = messages.filter(({ role }) => role !== 'system');
  if (how === 'new') {
    const trigger = rest.findLastIndex(({ role }) => role === 'user');
    const before = rest.slice(0, Math.max(0, trigger));
    const history = before.length === 0 ? [] : [HISTORY, ...before.flatMap(line)];
    const after = rest.slice(Math.max(0, trigger)).flatMap(line);
    const isResumed = rest.slice(trigger).some(({ role }) => role === 'tool');
    return join([system, ...history, ...(isResumed ? [RESTARTED] : []), ...after]);
  }
  const seen = rest.findLastIndex(({ role }) => role === 'assistant');
  const unseen = rest.slice(seen + 1);
  const results = unseen.filter(({ role }) => role === 'tool');
  const said = unseen.filter(({ role }) => role === 'user');
  // In a live session, the program itself reported how its calls ended.
  if (how === 'live') return join((said.length === 0 ? rest.slice(-1) : said).flatMap(line));
  const calls = rest[seen];
  const asked = calls === undefined || results.length === 0 ? [] : line(calls);
  return join([...(results.length === 0 ? [] : [RESTARTED, ...asked]), ...unseen.flatMap(line)]);
}

function join(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join('\n\n');
  return text.length <= LONGEST ? text : `[Earlier messages were left out.]\n${text.slice(-LONGEST)}`;
}

function line(message: ModelMessage): string[] {
  switch (message.role) {
    case 'user':
      return [message.name === undefined ? message.content : `${message.name}: ${message.content}`];
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(
        ({ function: { name, arguments: args } }) => `You asked to run ${name} ${args}`,
      );
      return [...(message.content === '' ? [] : [`You: ${message.content}`]), ...calls];
    }
    case 'tool':
      return [`Result: ${message.content}`];
    case 'system':
      return [];
  }
}

const LONGEST_TITLE = 60;

/** Agents aren't asked for titles: that would be a prompt in their session. */
export function titleFrom(messages: readonly ModelMessage[]): string {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const words = first.replaceAll(/\s+/g, ' ').trim();
  return words.length <= LONGEST_TITLE ? words : `${words.slice(0, LONGEST_TITLE - 1)}…`;
}
