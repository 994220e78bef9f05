import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, openWorld } from 'countersign';
import { z } from 'zod';
import {
  ANSWER,
  attempts,
  callsFor,
  DESCRIPTION,
  historyOf,
  outside,
  QUESTION,
  ran,
  runTool,
  SYSTEM_PROMPT,
  TOOL,
  USAGE,
  words,
} from './script.mjs';

/** This project through its library, on a file or in memory. */
export function describe({ name, file, synchronous }) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  let made = 0;
  return {
    name,
    packageName: 'countersign',
    experiments: file ? experimentsIn(folder, synchronous) : undefined,
    async subject(work) {
      if (!file) return await open(':memory:', 'NORMAL', work);
      // The history is written once for each length, without waiting for the disk.
      const template = join(folder, `history-${work.history}.sqlite`);
      if (!existsSync(template)) {
        const world = await openBench(template, 'NORMAL', work);
        await prefill(world, work.history);
        await world.close();
      }
      const path = join(folder, `${(made += 1)}.sqlite`);
      copyFileSync(template, path);
      const subject = await open(path, synchronous, work);
      // The size is measured after closing: before that, part of the data is in the log next to the file.
      const before = statSync(path).size;
      return { ...subject, persisted: () => statSync(path).size - before };
    },
  };
}

export function scriptedProvider(count) {
  return {
    name: 'bench',
    async generate({ messages, purpose, stream, onChunk }) {
      if (purpose === 'title') return { type: 'text', content: 'Rooms', usage: USAGE };
      const last = messages.at(-1);
      if (count > 0 && last?.role === 'user' && last.content.includes(QUESTION)) {
        return {
          type: 'tool_calls',
          content: '',
          usage: USAGE,
          tool_calls: callsFor(count).map((args, index) => ({
            id: `call-${index}`,
            type: 'function',
            function: { name: TOOL, arguments: JSON.stringify(args) },
          })),
        };
      }
      if (stream) for (const word of words(ANSWER)) onChunk(word);
      return { type: 'text', content: ANSWER, usage: USAGE };
    },
  };
}

export function bookRoom(gated) {
  return defineTool({
    name: TOOL,
    description: DESCRIPTION,
    parameters: z.object({ city: z.string(), nights: z.number().int() }),
    ...(gated ? { approval: { required: true, message: 'Book a room in {city}' } } : {}),
    execute: runTool,
  });
}

export const AGENT = { name: 'Ana', provider: 'bench', model: 'scripted', systemPrompt: SYSTEM_PROMPT, tools: [TOOL] };

function openBench(path, synchronous, { tools: count, gated, streaming }) {
  return openWorld(path, {
    name: 'bench',
    providers: [scriptedProvider(count)],
    tools: [bookRoom(gated)],
    agents: [AGENT],
    streaming,
    synchronous,
    turnLimit: 1000,
  });
}

/** Every message from the person has an answer, as in the peers' histories. */
async function prefill(world, history) {
  const chat = await world.chat();
  for (const { role, content } of historyOf(history)) {
    if (role !== 'user') continue;
    await chat.send(content);
    await chat.settled();
  }
  await world.quiet();
  return chat;
}

async function open(path, synchronous, work) {
  const { gated, history } = work;
  const world = await openBench(path, synchronous, work);
  const [known] = await world.chats();
  const chat = known === undefined ? await prefill(world, history) : await world.chat(known.id);
  const heard = new Map();
  world.on('message', ({ role, content, chatId }) => {
    if (role === 'assistant') heard.set(chatId, content);
  });
  const another = async () => turnsIn(world, await prefill(world, history), heard, gated);
  return { ...turnsIn(world, chat, heard, gated), another, close: () => world.close() };
}

function turnsIn(world, chat, heard, gated) {
  let approvals;
  return {
    async pause() {
      heard.delete(chat.id);
      if (!gated) return;
      await chat.send(QUESTION);
      await chat.settled();
      approvals = await world.approvals({ status: 'pending', chatId: chat.id });
    },
    async finish(decisions) {
      if (!gated) await chat.send(QUESTION);
      else {
        for (const [index, approval] of approvals.entries()) {
          await world.decide(approval, { decision: (decisions?.[index] ?? true) ? 'approve' : 'deny' });
        }
      }
      await chat.settled();
      return heard.get(chat.id);
    },
  };
}

function experimentsIn(folder, synchronous) {
  let made = 0;
  const openOn = (path, count = 1) =>
    openWorld(path, {
      name: 'bench',
      providers: [scriptedProvider(count)],
      tools: [bookRoom(true)],
      agents: [AGENT],
      synchronous,
    });
  async function paused(count = 1, path = join(folder, `experiment-${(made += 1)}.sqlite`)) {
    const world = await openOn(path, count);
    const chat = await world.chat();
    await chat.send(QUESTION);
    await chat.settled();
    ran.count = 0;
    ran.cities = [];
    return { path, world, chat, approvals: await world.approvals() };
  }

  return {
    async threeTimes() {
      const { world, chat, approvals } = await paused();
      const refused = await attempts([1, 2, 3].map(() => () => world.decide(approvals[0], { decision: 'approve' })));
      await chat.settled();
      await world.close();
      return { runs: ran.count, refused: refused.length };
    },
    async mixed() {
      const { world, chat, approvals } = await paused(2);
      await world.decide(approvals[0], { decision: 'approve' });
      await world.decide(approvals[1], { decision: 'deny' });
      await chat.settled();
      await world.close();
      return { ran: ran.cities };
    },
    async killBegin({ state, mark }) {
      const { world, chat, approvals } = await paused(1, state);
      Object.assign(outside, { file: mark, dies: true });
      await world.decide(approvals[0], { decision: 'approve' });
      await chat.settled();
    },
    async killResume({ state, mark }) {
      outside.file = mark;
      const world = await openOn(state);
      const [{ id }] = await world.chats();
      const chat = await world.chat(id);
      await chat.settled();
      const messages = await chat.messages();
      await world.close();
      return { told: messages.some(({ role, content }) => role === 'tool' && content.includes('outcome unknown')) };
    },
    async restartBegin({ state, count }) {
      const world = await openOn(state);
      for (let i = 0; i < count; i += 1) {
        const chat = await world.chat();
        await chat.send(QUESTION);
        await chat.settled();
      }
      return { open: (await world.approvals()).length };
    },
    async restart({ state }) {
      const startedAt = performance.now();
      const world = await openOn(state);
      const approvals = await world.approvals();
      const ms = performance.now() - startedAt;
      ran.count = 0;
      await world.decide(approvals[0], { decision: 'approve' });
      await world.quiet();
      await world.close();
      return { back: approvals.length, ms, runs: ran.count };
    },
    async stale() {
      const { world, chat, approvals } = await paused();
      await world.decide(approvals[0], { decision: 'deny' });
      await chat.settled();
      await chat.send(QUESTION);
      await chat.settled();
      ran.count = 0;
      const outcome = await world.decide(approvals[0], { decision: 'approve' });
      await world.quiet();
      await world.close();
      return { runs: ran.count, refused: outcome.kind === 'refused' ? 1 : 0 };
    },
    /** Someone with write access to the file changes the approved arguments. */
    async changed() {
      const { path, world, approvals } = await paused();
      await world.close();
      const { DatabaseSync } = await import('@photostructure/sqlite');
      const db = new DatabaseSync(path);
      db.exec(`update invocations set arguments = replace(arguments, 'Lisbon', 'Moscow')`);
      db.close();
      const again = await openOn(path);
      const outcome = await again.decide(approvals[0], { decision: 'approve' });
      await again.quiet();
      await again.close();
      return { ran: ran.cities, refused: outcome.kind === 'refused' || ran.count === 0 ? 1 : 0 };
    },
  };
}
