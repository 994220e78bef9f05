import { harbourAgents, homeFolder, openHome, SUGGESTIONS, type Home } from '@countersign/server';
import { CountersignError, type ProviderStatus } from '@countersign/protocol';
import { createWorldHandle, type OpenedWorld } from '../world.js';
import { settleWith, showEvents, type Lines } from './talk.js';

export interface StartOptions {
  lines: Lines;
  env: NodeJS.ProcessEnv;
  ollamaUrl?: string;
}

/** The demo world of this home in a plain terminal, on the scripted model unless the person chooses another. */
export async function start({ lines, env, ollamaUrl }: StartOptions): Promise<void> {
  const tell = (message: string): void => lines.say(`· ${message}`);
  const home = await openHome({
    home: homeFolder(env),
    env,
    log: { info: () => undefined, warn: () => undefined, error: tell },
    ...(ollamaUrl === undefined ? {} : { ollamaUrl }),
  });
  try {
    await home.start();
    const world = createWorldHandle(home.engine, 'harbour', 'Harbour');
    await greet(lines, home, world);
    const hush = await showEvents(world, lines.say);
    try {
      await talk(lines, world);
    } finally {
      hush();
    }
  } finally {
    await home.close();
  }
}

async function greet(lines: Lines, home: Home, world: OpenedWorld): Promise<void> {
  const found = (await home.providers()).flatMap(offersOf);
  lines.say('Countersign. Agents propose. You countersign.');
  lines.say(describeFound(found));
  const { sandbox } = home;
  if (sandbox.kind === 'none') lines.say(`No sandbox: ${sandbox.reason} What you approve runs with your own rights.`);
  const { provider, model } = (await choose(lines, found)) ?? { provider: 'scripted', model: 'demo' };
  const agents = await world.agents();
  for (const { name } of harbourAgents(provider, model)) {
    const agent = agents.find((known) => known.name === name);
    if (agent === undefined) {
      throw new CountersignError(
        'not-found',
        'the demo world is not as it was made; start `countersign` for the others',
      );
    }
    await world.updateAgent(agent.id, { provider, model });
  }
}

/** A model a person can choose, and where it was found. */
interface Offer {
  provider: string;
  model: string;
  where: string;
}

function offersOf({ name, available, source, models = [] }: ProviderStatus): Offer[] {
  if (!available || source === undefined) return [];
  return models.slice(0, 3).map((model) => ({ provider: name, model, where: source }));
}

function describeFound(found: readonly Offer[]): string {
  if (found.length === 0) return 'No key and no Ollama found: the demo runs on a scripted model and needs neither.';
  return `Found ${found.map(({ model, where }) => `${model} (${where})`).join(', ')}.`;
}

/** The scripted model unless a number was typed: nobody's key is used without being asked for. */
async function choose(lines: Lines, found: readonly Offer[]): Promise<Offer | undefined> {
  if (found.length === 0) return undefined;
  const offers = found.map(({ model }, index) => `${index + 1}: ${model}`).join('   ');
  const answer = await lines.ask(`Which model?  Enter: scripted demo   ${offers}\n> `);
  return found[Number(answer?.trim()) - 1];
}

async function talk(lines: Lines, world: OpenedWorld): Promise<void> {
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
