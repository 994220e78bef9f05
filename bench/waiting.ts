import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  createChat,
  createRuntime,
  createWorld,
  pageApprovals,
  publishMessage,
  decideCall,
  showApproval,
  systemClock,
} from '@countersign/core';
import { openSqlite } from '@countersign/storage';
import type { Provider } from 'countersign';
import { measure, summarize, type Figures, type Plan, type Subject } from './measure.js';
import { AGENT, benchTools, withFolder } from './ours.js';
import { ANSWER, BOOK, ONE_GATED_QUESTION, USAGE } from './script.js';

export const WAITING_WORKS = ['list the first page', 'show a card', 'decide one'] as const;
type WaitingWork = (typeof WAITING_WORKS)[number];

export interface WaitingResult {
  /** The number of waiting approvals during the measurement. */
  sizes: { waiting: number; works: Record<WaitingWork, Figures> }[];
}

const SIGNER = { who: { kind: 'person', id: 'human', name: 'human' }, via: 'bench' } as const;
/** The length of the smaller queue. With a larger page, the larger queue would require more work. */
const PAGE = 10;
/** At most 200 calls from one agent may be waiting (CALL19). */
const WAITING_PER_AGENT = 150;
const AT_ONCE = 32;

/** Each question requests one call that needs approval. */
const provider: Provider = {
  name: AGENT.provider,
  generate: async ({ messages, purpose }) =>
    purpose === 'answer' && messages.at(-1)?.role === 'user'
      ? { type: 'tool_calls', content: '', usage: USAGE, tool_calls: [CALL] }
      : { type: 'text', content: ANSWER, usage: USAGE },
};
const CALL = {
  id: 'call-0',
  type: 'function' as const,
  function: { name: BOOK, arguments: JSON.stringify({ city: 'Lisbon', nights: 2 }) },
};

/** The cost of a person's actions while many approvals are waiting, each in its own chat. */
export async function waitingSuite(sizes: readonly number[], plan: Plan): Promise<WaitingResult> {
  return await withFolder(async (folder) => {
    const queues = [];
    try {
      for (const waiting of sizes) queues.push(await openQueue(join(folder, `${waiting}.sqlite`), waiting));
      const figures = await measure(
        queues.flatMap(({ subjects }) => subjects),
        plan,
      );
      return {
        sizes: sizes.map((waiting) => ({
          waiting,
          works: Object.fromEntries(
            WAITING_WORKS.map((work) => [work, figures.get(nameOf(work, waiting)) ?? summarize([])]),
          ) as Record<WaitingWork, Figures>,
        })),
      };
    } finally {
      for (const { close } of queues) await close();
    }
  });
}

function nameOf(work: WaitingWork, waiting: number): string {
  return `${work}, ${waiting} waiting`;
}

async function openQueue(file: string, size: number): Promise<{ subjects: Subject[]; close: () => Promise<void> }> {
  const engine = createRuntime({
    store: await openSqlite(file, { synchronous: 'NORMAL' }),
    clock: systemClock,
    providers: [provider],
    tools: [...benchTools],
    findPlace: () => ({ workingDirectory: process.cwd(), home: homedir() }),
    onListenerFailure: fail,
    onError: fail,
  });
  await engine.start();
  const { runtime } = engine;
  const { id: worldId } = await createWorld(runtime, { name: 'bench', streaming: false }, SIGNER);
  const agents: string[] = [];
  while (agents.length <= size / WAITING_PER_AGENT) {
    const agent = await addAgent(runtime, worldId, { ...AGENT, name: `Ana ${agents.length}` }, SIGNER);
    agents.push(agent.id);
  }
  const waitingFor = new Map<string, () => void>();
  runtime.bus.subscribe(worldId, ({ event, chatId = '', data }) => {
    if (event === 'world' && (data.type === 'waiting' || data.type === 'idle')) waitingFor.get(chatId)?.();
  });
  const settled = (chatId: string): Promise<void> =>
    new Promise((resolve) => {
      waitingFor.set(chatId, () => {
        waitingFor.delete(chatId);
        resolve();
      });
    });
  let asked = 0;

  /** Requests one call in a new chat, and resolves when it is waiting. */
  async function ask(): Promise<string> {
    const { id: chatId } = await createChat(runtime, worldId, 'bench');
    const end = settled(chatId);
    const content = `@${agents[(asked += 1) % agents.length]} ${ONE_GATED_QUESTION}`;
    await publishMessage(runtime, { worldId, chatId, speaker: 'human', content });
    await end;
    return chatId;
  }

  let left = size;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (; left > 0;) {
        left -= 1;
        await ask();
      }
    }),
  );
  const oldest = await firstPage();
  const card = oldest.items[0]?.approvalId ?? '';
  let chatId = '';
  let approval: { approvalId: string; callHash: string } | undefined;

  async function firstPage() {
    return await pageApprovals(runtime, worldId, { status: 'pending', limit: PAGE });
  }

  const subjects: Subject[] = [
    { name: nameOf('list the first page', size), run: async () => void (await firstPage()) },
    {
      name: nameOf('show a card', size),
      async run() {
        if ((await showApproval(runtime, worldId, card)) === undefined) throw new Error('there is no such card');
      },
    },
    {
      name: nameOf('decide one', size),
      async before() {
        chatId = await ask();
        const { items } = await pageApprovals(runtime, worldId, { status: 'pending', chatId, limit: 1 });
        approval = items[0];
      },
      async run() {
        if (approval === undefined) throw new Error('no approval is waiting');
        const end = settled(chatId);
        const decision = {
          tool_call_id: approval.approvalId,
          callHash: approval.callHash,
          decision: 'approve',
        } as const;
        await decideCall(runtime, worldId, undefined, decision, SIGNER);
        await end;
      },
      after: () => engine.quiet(),
    },
  ];
  return { subjects, close: () => engine.close() };
}

function fail(error: unknown): never {
  throw error;
}
