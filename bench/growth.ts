import { join } from 'node:path';
import type { OpenedChat, OpenedWorld } from 'countersign';
import { measure, type Figures, type Plan, type Subject } from './measure.js';
import { openBenchWorld, takeTurn, withFolder } from './ours.js';
import { prefill } from './prefill.js';
import { residentMiB } from './resident.js';
import { QUESTIONS } from './script.js';

export interface GrowthResult {
  sizes: {
    /** Messages in the chat before the turn. */
    messages: number;
    turn: Figures;
    /** In microseconds. The first turn after opening the file reads the model's view. */
    firstTurn: number;
    /** The process's resident memory in MiB, with this file open and in use. */
    resident: number;
  }[];
}

interface Prefilled {
  file: string;
  messages: number;
  chatIds: readonly string[];
  turnsPerChat: number;
}

/** Measuring a small chat a hundred times makes it grow, so there are enough chats that none grows by more than this share. */
const LARGEST_GROWTH = 0.2;

/** The cost of a message in a long chat (LIMIT2). */
export async function growthSuite(sizes: readonly number[], plan: Plan): Promise<GrowthResult> {
  return await withFolder(async (folder) => {
    const turns = plan.warmUp + plan.rounds * plan.perRound;
    const worlds: Prefilled[] = [];
    for (const messages of sizes) {
      const chats = Math.ceil((turns * 2) / (messages * LARGEST_GROWTH));
      const chatIds = { count: chats, turnsPerChat: Math.ceil(turns / chats) };
      worlds.push(await createWorld(join(folder, `${messages}.sqlite`), messages, chatIds));
    }
    // Warm up first: otherwise, cold code and garbage from filling would only affect the smallest world.
    for (const world of worlds) await measureMemory(world);
    const memory: { firstTurn: number; resident: number }[] = [];
    for (const world of worlds) memory.push(await measureMemory(world));
    const figures = await measureTurns(worlds, plan);
    return {
      sizes: worlds.map(({ messages }, index) => ({
        messages,
        turn: figures.get(String(messages)) ?? missing(),
        ...(memory[index] ?? missing()),
      })),
    };
  });
}

async function createWorld(
  file: string,
  messages: number,
  chats: { count: number; turnsPerChat: number },
): Promise<Prefilled> {
  const world = await openBenchWorld(file);
  const chatIds: string[] = [];
  for (let i = 0; i < chats.count; i += 1) {
    const chat = await world.chat();
    // Generate the title before the measurement.
    await takeTurn(chat, QUESTIONS.text);
    await world.quiet();
    chatIds.push(chat.id);
  }
  const [agent] = await world.agents();
  await world.close();
  if (agent === undefined) throw new Error('there is no agent');
  await prefill(file, { worldId: world.id, agentId: agent.id, chatIds }, messages);
  return { file, messages, chatIds, turnsPerChat: chats.turnsPerChat };
}

async function measureMemory({ file, chatIds }: Prefilled): Promise<{ firstTurn: number; resident: number }> {
  const world = await openBenchWorld(file);
  const chat = await world.chat(chatIds.at(-1));
  const start = process.hrtime.bigint();
  await takeTurn(chat, QUESTIONS.text);
  const firstTurn = Number(process.hrtime.bigint() - start) / 1000;
  for (let i = 0; i < 10; i += 1) await takeTurn(chat, QUESTIONS.text);
  const resident = residentMiB();
  await world.close();
  return { firstTurn, resident };
}

async function measureTurns(worlds: readonly Prefilled[], plan: Plan): Promise<Map<string, Figures>> {
  const opened: OpenedWorld[] = [];
  try {
    const subjects: Subject[] = [];
    for (const prefilled of worlds) {
      const world = await openBenchWorld(prefilled.file);
      opened.push(world);
      subjects.push(subjectOf(world, prefilled));
    }
    return await measure(subjects, plan);
  } finally {
    for (const world of opened) await world.close();
  }
}

function subjectOf(world: OpenedWorld, { messages, chatIds, turnsPerChat }: Prefilled): Subject {
  let chat: OpenedChat | undefined;
  let taken = 0;
  return {
    name: String(messages),
    async before() {
      if (taken % turnsPerChat === 0) {
        chat = await world.chat(chatIds[taken / turnsPerChat]);
        // Read the model's view first, which is measured separately.
        await takeTurn(chat, QUESTIONS.text);
      }
      taken += 1;
    },
    async run() {
      if (chat !== undefined) await takeTurn(chat, QUESTIONS.text);
    },
    after: () => world.quiet(),
  };
}

function missing(): never {
  throw new Error('a size was not measured');
}
