import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defineTool,
  openWorld,
  type OpenedChat,
  type OpenedWorld,
  type OpenWorldOptions,
  type Provider,
  type Tool,
} from 'countersign';
import type { Subject } from './measure.js';
import {
  ANSWER,
  argumentsSchema,
  BOOK,
  callsFor,
  DESCRIPTIONS,
  LOOK_UP,
  QUESTIONS,
  runTool,
  SYSTEM_PROMPT,
  USAGE,
  type Case,
} from './script.js';

/** Runs with a temporary folder that is always removed. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A separate scripted model: the one for tests keeps every request and would grow with each turn. */
export function benchProvider(onAnswer: () => void = () => undefined): Provider {
  return {
    name: 'bench',
    generate: async ({ messages, purpose }) => {
      const last = messages.at(-1);
      const calls = purpose === 'answer' && last?.role === 'user' ? callsFor(last.content) : [];
      onAnswer();
      if (calls.length === 0) return { type: 'text', content: ANSWER, usage: USAGE };
      return {
        type: 'tool_calls',
        content: '',
        usage: USAGE,
        tool_calls: calls.map(({ name, arguments: text }, index) => ({
          id: `call-${index}`,
          type: 'function' as const,
          function: { name, arguments: text },
        })),
      };
    },
  };
}

export const benchTools: readonly Tool[] = [
  defineTool({
    name: LOOK_UP,
    description: DESCRIPTIONS[LOOK_UP],
    parameters: argumentsSchema,
    execute: runTool,
  }),
  defineTool({
    name: BOOK,
    description: DESCRIPTIONS[BOOK],
    parameters: argumentsSchema,
    approval: { required: true, message: 'Book a room in {city}' },
    execute: runTool,
  }),
];

export const AGENT = {
  name: 'Ana',
  provider: 'bench',
  model: 'scripted',
  systemPrompt: SYSTEM_PROMPT,
  tools: [LOOK_UP, BOOK],
};

export async function openBenchWorld(file: string, options: OpenWorldOptions = {}): Promise<OpenedWorld> {
  const world = await openWorld(file, {
    name: 'bench',
    providers: [benchProvider()],
    tools: benchTools,
    streaming: false,
    synchronous: 'NORMAL',
    ...options,
  });
  if ((await world.agents()).length === 0) await world.addAgent(AGENT);
  return world;
}

/** Starts a new chat after this many turns, so that the model's view stays as short as a peer's. */
const TURNS_PER_CHAT = 10;

/** Turns as a library user takes them: send, then wait until the chat has settled. */
export function oursSubject(name: string, world: OpenedWorld, turn: Case): Subject {
  let chat: OpenedChat | undefined;
  let used = 0;
  let approvals: Awaited<ReturnType<OpenedWorld['approvals']>> = [];

  async function freshChat(): Promise<OpenedChat> {
    if (chat !== undefined && used < TURNS_PER_CHAT) return chat;
    chat = await world.chat();
    used = 0;
    // The first turn generates a title, which happens once per chat and isn't part of a turn.
    await takeTurn(chat, QUESTIONS.text);
    await world.quiet();
    return chat;
  }

  return {
    name,
    async before() {
      const current = await freshChat();
      used += 1;
      if (turn !== 'three gated tools') return;
      await takeTurn(current, QUESTIONS[turn], 'waiting');
      approvals = await world.approvals();
      if (approvals.length !== 3) throw new Error(`${approvals.length} pending approvals instead of 3`);
    },
    async run() {
      if (chat === undefined) throw new Error('there is no chat');
      if (turn !== 'three gated tools') {
        await takeTurn(chat, QUESTIONS[turn]);
        return;
      }
      for (const approval of approvals) await world.decide(approval, { decision: 'approve' });
      expectState(await chat.settled(), 'idle');
    },
    after: () => world.quiet(),
  };
}

export async function takeTurn(chat: OpenedChat, question: string, end: 'idle' | 'waiting' = 'idle'): Promise<void> {
  await chat.send(question);
  expectState(await chat.settled(), end);
}

/** Fails if the turn failed: a failed turn is fast and must not count as a good time. */
function expectState(state: string, wanted: string): void {
  if (state !== wanted) throw new Error(`the chat is ${state}, expected ${wanted}`);
}

/** Takes one turn and checks that it is the intended one. */
export async function checkOurs(world: OpenedWorld, turn: Case): Promise<void> {
  const subject = oursSubject('check', world, turn);
  await subject.before?.();
  await subject.run();
  const chats = await world.chats();
  const last = chats.at(-1);
  const messages = last === undefined ? [] : await (await world.chat(last.id)).messages();
  const calls = messages.filter(({ role, tool_call_id }) => role === 'tool' && tool_call_id?.startsWith('call_'));
  const expected = { text: 0, 'one tool': 1, 'three gated tools': 3 }[turn];
  const answer = messages.at(-1)?.content;
  if (calls.length !== expected || answer !== ANSWER) {
    throw new Error(`the turn "${turn}" ran ${calls.length} tools and ended with ${JSON.stringify(answer)}`);
  }
}
