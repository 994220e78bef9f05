import { readAll, type RunClient } from '@countersign/client';
import type { Run } from '@countersign/protocol';
import type { PreparedAgent } from '@countersign/tools/run';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { findThing } from '../../find-things.js';
import { confirm } from '../../input/confirm.js';
import { proseText } from '../../text/plain-text.js';
import { runWords as words } from '../../words/run.js';
import { isDetached } from './detach-run.js';

/** The run that a person names by its id or the start of it. */
export async function findOwnRun(client: RunClient, word: string, world: string | undefined): Promise<Run> {
  const worlds = (await readAll((page) => client.worlds(page))).filter(({ id }) => world === undefined || id === world);
  const all: Run[] = [];
  for (const { id } of worlds) all.push(...(await readAll((page) => client.runs.list(id, page))));
  return findThing(all, word, { what: 'run' });
}

/** What the program is told, and what people see. Its first words are ours, so it can't be taken for an option. */
export function requestText({ request }: Run): string {
  if (request === undefined) return words.noRequest;
  const { by, message, comments } = request;
  return proseText([words.asked(by.name), '', message, ...comments.map(words.comment)].join('\n'));
}

/** What continues the session of an agent, or what the person gave. */
export function wordsToRestart(
  { console: { stdin, stdout } }: CommandContext,
  { run, prepared, given }: { run: Run; prepared: PreparedAgent | undefined; given: readonly string[] },
): readonly string[] {
  if (prepared === undefined && given.length === 0) throw new CommandError(words.againNeedsProgram(run.id));
  if (prepared === undefined) return given;
  const { agent, arguments: always } = prepared;
  // Without a terminal, it can't do more than answer.
  const isOnce = !(stdin.isTTY && stdout.isTTY) || run.program.some((word) => agent.once.includes(word));
  const own = given.length > 0 ? given : agent.resume(requestText(run), isOnce);
  return [agent.program, ...always, ...own];
}

/**
 * Whether to continue at once. Others may ask for changes, but what they write reaches an agent with this person's login, so the person must agree.
 * What continues another program is for the person to say.
 */
export async function mayRestart(context: CommandContext, run: Run): Promise<boolean> {
  const { request, agent, startedBy, id } = run;
  context.note(requestText(run));
  const isOwn = request?.by.id === startedBy.id && request.by.kind === startedBy.kind;
  const isKnown = agent !== undefined && request !== undefined;
  const mayAsk = context.isPerson && !isDetached(context);
  const agrees = isKnown && (isOwn || (mayAsk && (await isYes(context))));
  if (!agrees) context.note(words.again(id, agent !== undefined));
  return agrees;
}

async function isYes(context: CommandContext): Promise<boolean> {
  try {
    await confirm(context, { yes: undefined, what: words.continueWith });
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}
