import type { Tool } from '@countersign/core/ports';
import type { Script, ScriptedCall } from '@countersign/core/testing';
import { until, openApp, type AppFixture, type AppFixtureOptions } from './app-fixture.js';

/** Makes the calls in a JSON message, then answers `done`. Answers any other message with `ok`. */
const obedient: Script = ({ messages }) => {
  const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system');
  if (told === undefined || !told.content.startsWith('[')) return 'ok';
  const settled = messages.slice(messages.indexOf(told)).some((message) => message !== told);
  return settled ? 'done' : { calls: JSON.parse(told.content) as ScriptedCall[] };
};

/** A tool that needs approval, and the arguments of each run. */
export function removing(): { runs: unknown[]; tool: Tool } {
  const runs: unknown[] = [];
  return {
    runs,
    tool: {
      definition: {
        name: 'remove',
        description: 'removes something',
        parameters: { type: 'object' },
        location: 'server',
        approval: { required: true },
      },
      trusted: true,
      validate: (args) => ({ ok: true, value: args }),
      execute: async (args) => {
        runs.push(args);
        return 'removed';
      },
    },
  };
}

/** A call of that tool. */
export const remove = (path: string) => ({ name: 'remove', arguments: { path } });

interface Pending {
  approvalId: string;
  toolCallId: string;
  callHash: string;
  turnId: string;
  agentId: string;
  position?: number;
  total?: number;
}

export interface Harbour extends AppFixture {
  chat: string;
  runs: readonly unknown[];
  /** Makes the model request these calls in one response, and waits until the chat is idle or waiting. */
  propose(...calls: ScriptedCall[]): Promise<void>;
  say(content: string): Promise<void>;
  pending(): Promise<Pending[]>;
  /** Resolves to the status of the chat once it has settled. */
  settled(): Promise<string>;
}

/** A world `harbour` with one agent `ada` and one chat, all created over HTTP. */
export async function openHarbour(options: AppFixtureOptions = {}): Promise<Harbour> {
  const { runs, tool } = removing();
  const t = await openApp({ script: obedient, ...options, tools: [tool, ...(options.tools ?? [])] });
  await t.api('POST', '/worlds', { name: 'Harbour' });
  await t.api('POST', '/worlds/harbour/agents', { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] });
  const { body } = await t.api<{ id: string }>('POST', '/worlds/harbour/chats');
  const chat = body.id;
  const settled = (): Promise<string> =>
    until(async () => {
      const { status } = (await t.api<{ status: string }>('GET', `/worlds/harbour/chats/${chat}`)).body;
      return status === 'working' ? undefined : status;
    }, 'the chat is settled');
  const say = async (content: string): Promise<void> => {
    await t.api('POST', `/worlds/harbour/chats/${chat}/messages`, { content });
    await settled();
  };
  return {
    ...t,
    chat,
    runs,
    settled,
    say,
    propose: (...calls) => say(JSON.stringify(calls)),
    pending: async () => (await t.api<{ items: Pending[] }>('GET', '/worlds/harbour/approvals')).body.items,
  };
}
