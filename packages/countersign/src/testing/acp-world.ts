import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  addAgent,
  createChat,
  createWorld,
  listMessages,
  publishMessage,
  systemClock,
  type Engine,
} from '@countersign/core';
import type { Clock, Tool } from '@countersign/core/ports';
import { MAY_ALL } from '@countersign/core/testing';
import type { AcpSettings, Message, NewWorld, SSEEvent, ToolDecision } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { acpAgents } from '@countersign/tools';
import { deciding } from './deciding.js';
import { createTestEngine, person } from './test-engine.js';

/** Built from `testing/acp-agent.ts` of the tools package. */
const program = fileURLToPath(new URL('../../dist/testing/bundle/acp-agent.js', import.meta.url));

export const W = 'harbour';

/** The settings of an agent whose program does what the last line of its prompt says. */
function fixtureAgent(...flags: string[]): AcpSettings {
  return { command: [process.execPath, program, ...flags], program: 'fixture' };
}

/** A call as the agent asks for it. */
export const call = (toolCallId: string, command: string | undefined, more: object = {}): object => ({
  toolCallId,
  title: `Run ${command ?? toolCallId}`,
  kind: 'execute',
  ...(command === undefined ? {} : { rawInput: { command } }),
  ...more,
});

interface Options {
  world?: Partial<NewWorld>;
  flags?: string[];
  acp?: Partial<AcpSettings>;
  file?: string;
  /** The clock of the ACP agents. */
  clock?: Clock;
  env?: NodeJS.ProcessEnv;
  /** The built-in tools of the world. */
  tools?: readonly Tool[];
}

/** An engine with one ACP agent, a real child process, in a world whose folder is `folder`. */
export async function openAcpWorld(folder: string, options: Options = {}) {
  const {
    world = {},
    flags = [],
    acp = {},
    file = ':memory:',
    clock = systemClock,
    env = process.env,
    tools = [],
  } = options;
  await mkdir(folder, { recursive: true });
  const store = await openSqlite(file, { clock: systemClock });
  const agents = acpAgents({ clock, env });
  const engine: Engine = await createTestEngine({
    store,
    clock: systemClock,
    providers: [agents.provider],
    tools,
    externalTool: (name) => agents.externalTool(name),
    findPlace: () => ({ workingDirectory: folder, home: '/root' }),
  });
  const { runtime } = engine;
  if ((await store.read((reader) => reader.world(W))) === undefined) {
    await createWorld(runtime, { name: 'Harbour', ...world }, person);
    const definition = { name: 'Coder', provider: 'acp', model: 'fixture', acp: { ...fixtureAgent(...flags), ...acp } };
    await addAgent(runtime, W, definition, person, MAY_ALL);
  }
  await engine.start();
  const streamed: SSEEvent[] = [];
  runtime.bus.subscribe(W, (event) => void (event.event === 'sse' && streamed.push(event.data)));
  let chatId = (await store.read((reader) => reader.chats(W)))[0]?.id;
  chatId ??= (await createChat(runtime, W)).id;
  const { pending, decide } = deciding({ runtime }, W);
  const read = (name: string): string[] => {
    try {
      const lines = readFileSync(`${folder}/${name}`, 'utf8').split('\n');
      return lines.filter((line) => line !== '');
    } catch {
      return [];
    }
  };
  return {
    engine,
    runtime,
    chatId,
    streamed,
    pending,
    decide,
    read,
    /** Sends the agent its steps, and waits until it has ended or waits for somebody. */
    async tell(steps: string | readonly object[], { waits = true } = {}): Promise<void> {
      const content = typeof steps === 'string' ? steps : JSON.stringify(steps);
      await publishMessage(runtime, { worldId: W, chatId, speaker: 'human', content, who: person.who });
      if (waits) await engine.quiet();
    },
    /** Decides the first pending call, and waits as `tell` does. */
    async answer(decision: Partial<ToolDecision> = {}) {
      const outcome = await decide((await pending())[0], decision);
      await engine.quiet();
      return outcome;
    },
    messages: async (): Promise<Message[]> => await listMessages(runtime, chatId),
    async lastText(): Promise<string> {
      return (await listMessages(runtime, chatId)).at(-1)?.content ?? '';
    },
  };
}
