import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import {
  describeSandbox,
  editFile,
  findSandbox,
  grep,
  listFiles,
  readFile,
  shellCmd,
  writeFile,
} from '@countersign/tools';
import { openWorld } from '../open-world.js';
import { findModels, type FoundModel } from './find-models.js';
import { harbourAgents, layOutHarbour, SUGGESTIONS } from './harbour.js';
import { harbourModel } from './harbour-model.js';
import { settleWith, showEvents, type Lines } from './talk.js';

export interface StartOptions {
  lines: Lines;
  env: NodeJS.ProcessEnv;
  /** Where the agents work. */
  folder: string;
  ollamaUrl?: string;
}

/** The first run: the demo world in a plain terminal, on the scripted model unless the person chooses another. */
export async function start({ lines, env, folder, ollamaUrl }: StartOptions): Promise<void> {
  const home = env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
  await orSay(mkdir(home, { recursive: true, mode: 0o700 }), `its folder "${home}"`);
  await orSay(layOutHarbour(folder), `the demo's folder "${folder}"`);
  const sandbox = await findSandbox();
  const found = await findModels(env, ollamaUrl);
  lines.say('Countersign. Agents propose. You countersign.');
  lines.say(describeFound(found));
  if (sandbox.kind === 'none') lines.say(`No sandbox: ${sandbox.reason} What you approve runs with your own rights.`);
  const chosen = await choose(lines, found);
  const demo = harbourModel();
  const provider = chosen?.provider ?? demo;
  const world = await openWorld(join(home, 'countersign.db'), {
    name: 'Harbour',
    workingDirectory: folder,
    mainAgent: 'scout',
    agents: harbourAgents(provider.name, chosen?.model ?? 'demo'),
    providers: chosen === undefined ? [demo] : [demo, chosen.provider],
    tools: [listFiles(), readFile(), grep(), writeFile(), editFile(), shellCmd({ sandbox, hide: [home] })],
    sandbox: describeSandbox(sandbox),
  });
  const hush = await showEvents(world, lines.say);
  try {
    await talk(lines, world);
  } finally {
    hush();
    await world.close();
  }
}

/** A folder that can't be made is for the person to mend: they get a sentence, not a stack. */
async function orSay(work: Promise<unknown>, what: string): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const advice = 'Choose others with COUNTERSIGN_HOME and COUNTERSIGN_DEMO_FOLDER.';
    throw new CountersignError('invalid', `${what} can't be used (${why}). ${advice}`, { cause });
  }
}

function describeFound(found: readonly FoundModel[]): string {
  if (found.length === 0) return 'No key and no Ollama found: the demo runs on a scripted model and needs neither.';
  return `Found ${found.map(({ model, where }) => `${model} (${where})`).join(', ')}.`;
}

/** The scripted model unless a number was typed: nobody's key is used without being asked for. */
async function choose(lines: Lines, found: readonly FoundModel[]): Promise<FoundModel | undefined> {
  if (found.length === 0) return undefined;
  const offers = found.map(({ model }, index) => `${index + 1}: ${model}`).join('   ');
  const answer = await lines.ask(`Which model?  Enter: scripted demo   ${offers}\n> `);
  return found[Number(answer?.trim()) - 1];
}

async function talk(lines: Lines, world: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
  const unfinished = (await world.chats()).findLast(({ status }) => status !== 'idle');
  const chat = await world.chat(unfinished?.id);
  if (unfinished !== undefined) lines.say('\nLast time this was left unfinished:');
  if (!(await settleWith(lines, world, chat))) return;
  lines.say('\nSay something, or choose:');
  for (const [index, suggestion] of SUGGESTIONS.entries()) lines.say(`  ${index + 1}  ${suggestion}`);
  lines.say('  Ctrl+C stops what runs; an empty line ends.');
  for (;;) {
    const line = (await lines.ask('\nyou  '))?.trim();
    if (line === undefined || line === '') return;
    try {
      await chat.send(SUGGESTIONS[Number(line) - 1] ?? line);
    } catch (error) {
      // What was typed is wrong, not the chat: it must go on.
      if (!(error instanceof CountersignError) || error.code !== 'invalid') throw error;
      lines.say(`· ${error.message}`);
    }
    if (!(await settleWith(lines, world, chat))) return;
  }
}
