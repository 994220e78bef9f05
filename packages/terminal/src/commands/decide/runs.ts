import { changeEntries, effectText, readAll, programText, type ChangeEntry } from '@countersign/client';
import type { Effect, Run } from '@countersign/protocol';
import type { Command } from 'commander';
import { entryLines, fileLines } from '../../card/change-lines.js';
import { effectLines } from '../../card/effect-lines.js';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import { findThing, findWorlds } from '../../find-things.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { printLines } from '../../text/print-lines.js';
import { changeWords } from '../../words/change.js';
import { runsHelp as help } from '../../words/help-decide.js';
import { withHelp, WORLD_OR_ALL, YES } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';

interface Flags {
  world?: string;
  yes?: boolean;
  include?: string[];
  includeLogin?: boolean;
  branch?: string;
  all?: boolean;
  block?: string[];
}

/** `countersign runs` (RUN20). */
export function addRuns(program: Command, register: Register): void {
  const runs = program.command('runs').description(help.about);
  const inWorlds = (command: Command): Command => command.option('-w, --world <world>', WORLD_OR_ALL);
  register<Flags>(
    withHelp(inWorlds(runs.command('list', { isDefault: true })), help.list),
    async (context, { options }) => showList(context, await listRuns(context, options.world), COLUMNS, results.noRuns),
  );
  register<Flags>(
    withHelp(inWorlds(runs.command('show').argument('<run>')), help.show),
    async (context, { args: [word = ''], options }) => {
      const { id, world } = await findRun(context, word, options.world);
      const client = await context.client();
      showRun(context, await client.runs.get(world, id));
    },
  );
  register<Flags>(
    withHelp(
      inWorlds(runs.command('diff').argument('<run>').argument('[file]', help.file)).option('--all', help.all),
      help.diff,
    ),
    async (context, { args: [word = '', file], options }) => {
      const { id, world } = await findRun(context, word, options.world);
      await showDiff(context, { id, world }, { file, isWhole: options.all === true });
    },
  );
  register<Flags>(
    withHelp(
      inWorlds(runs.command('apply').argument('<run>'))
        .option('--include <path...>', help.include)
        .option('--include-login', help.includeLogin)
        .option('--branch <name>', help.branch),
      help.apply,
    ),
    async (context, { args: [word = ''], options }) => {
      const { id, world } = await findRun(context, word, options.world);
      const client = await context.client();
      const { include = [], includeLogin: login = false, branch } = options;
      const run = await client.runs.apply(world, id, { include, login, ...(branch === undefined ? {} : { branch }) });
      showDone(context, stateLine(run), run);
      return run.state === 'conflict' || run.state === 'failed' ? EXIT.failed : EXIT.ok;
    },
  );
  register<Flags>(
    withHelp(inWorlds(runs.command('ask').argument('<run>').argument('<message>')), help.ask),
    async (context, { args: [word = '', message = ''], options }) => {
      const { id, world } = await findRun(context, word, options.world);
      const client = await context.client();
      const run = await client.runs.requestChanges(world, id, { message });
      showDone(context, stateLine(run), run);
    },
  );
  register<Flags>(
    withHelp(
      inWorlds(runs.command('select').argument('<run>').argument('[files...]', help.file)).option(
        '--block <file:number...>',
        help.block,
      ),
      help.select,
    ),
    async (context, { args: [word = '', ...files], options: { world: named, block = [] } }) => {
      const { id, world } = await findRun(context, word, named);
      const client = await context.client();
      const { effect, state, ...run } = await client.runs.get(world, id);
      if (effect === undefined) throw new CommandError(stateLine({ ...run, state }));
      const hunks = block.map((text) => {
        const [, path, number] = /^(.+):(\d+)$/.exec(text) ?? [];
        if (path === undefined) throw new CommandError(results.noBlock(text));
        return { path, hunk: Number(number) };
      });
      const paths = files.map((path) => path.replace(/\/$/, ''));
      const part = await client.runs.select(world, id, { effectHash: effect.effectHash, paths, hunks });
      showDone(context, stateLine(part), part);
    },
  );
  register<Flags>(
    withHelp(inWorlds(runs.command('discard').argument('<run>')).option('--yes', YES), help.discard),
    async (context, { args: [word = ''], options }) => {
      const { id, world } = await findRun(context, word, options.world);
      await confirm(context, { yes: options.yes, what: results.discarding(id) });
      const client = await context.client();
      const run = await client.runs.discard(world, id);
      showDone(context, stateLine(run), run);
    },
  );
}

/** Newest first in each world. */
async function listRuns(context: CommandContext, world: string | undefined): Promise<Run[]> {
  const client = await context.client();
  const all: Run[] = [];
  for (const { id } of await findWorlds(client, world))
    all.push(...(await readAll((page) => client.runs.list(id, page))));
  return all;
}

/** A run that isn't listed may still be named in full, in a world that is. */
export async function findRun(
  context: CommandContext,
  word: string,
  world: string | undefined,
): Promise<Pick<Run, 'id' | 'world'>> {
  const all = await listRuns(context, world);
  const isListed = all.some(({ id }) => id.startsWith(word));
  if (isListed || world === undefined) return findThing(all, word, { what: 'run' });
  const [only] = await findWorlds(await context.client(), world);
  return { id: word, world: only?.id ?? world };
}

/** Reasons name paths, which programs choose. */
function stateLine({ reason, ...run }: Run): string {
  return results.runState({ ...run, ...(reason === undefined ? {} : { reason: plainLine(reason) }) });
}

function showRun(context: CommandContext, run: Run): void {
  if (context.options.json) return context.json(run);
  const { effect, program } = run;
  const programs = [program, ...(effect?.run?.later ?? [])].map(programText);
  context.say(`${programs.join('\n')}\n${stateLine(run)}`);
  if (effect === undefined) return;
  const width = context.columns() ?? 80;
  context.say(printLines(effectLines({ effect }, width, 'whole', ''), width, context.paint).join('\n'));
}

/** Lists the files of a change, or shows the lines of one of them, of a folder or of all. */
async function showDiff(
  context: CommandContext,
  { id, world }: Pick<Run, 'id' | 'world'>,
  { file, isWhole }: { file: string | undefined; isWhole: boolean },
): Promise<void> {
  const client = await context.client();
  const run = await client.runs.get(world, id);
  const isCut = run.effect?.truncated === true && run.approvalId !== undefined;
  const effect: Effect | undefined = isCut ? await client.wholeEffect(world, run.approvalId ?? '') : run.effect;
  const entries = effect === undefined ? [] : (changeEntries({ effect }) ?? []);
  const files = entries.flatMap((entry) => (entry.kind === 'file' ? [entry] : [entry, ...entry.files]));
  const inside = (path: string): boolean =>
    path === file || path === `${file}/` || path.startsWith(`${file?.replace(/\/$/, '')}/`);
  const shown = file !== undefined ? files.filter(({ path }) => inside(path)) : isWhole ? files : entries;
  if (file !== undefined && shown.length === 0) throw new CommandError(changeWords.noFile(plainLine(file), id));
  const hasLines = isWhole || file !== undefined;
  if (context.options.json) return context.json({ items: shown.map((entry) => jsonOf(entry, hasLines)) });
  if (entries.length === 0) return context.note(stateLine(run));
  // Into a pipe, nothing is wrapped.
  const width = context.columns() ?? Infinity;
  const lines = shown.flatMap((entry) => (hasLines ? [...fileLines(entry, width), []] : entryLines(entry, width)));
  context.say(printLines(lines, width, context.paint).join('\n'));
  if (effect?.unlisted !== undefined) context.note(changeWords.notListed(effect.unlisted));
}

function jsonOf(entry: ChangeEntry, hasLines: boolean): object {
  if (entry.kind === 'folder') return { ...entry, files: entry.files.map(({ path }) => path) };
  const { read, isCall: _, sign: __, exactPath: ___, ...file } = entry;
  return hasLines ? { ...file, ...read() } : file;
}

const COLUMNS = [
  { title: 'id', of: ({ id }: Run) => id },
  { title: 'world', of: ({ world }: Run) => world },
  { title: 'program', of: ({ program }: Run) => programText(program) },
  { title: 'state', of: ({ state }: Run) => state },
  { title: 'started', of: ({ startedAt }: Run) => minuteText(startedAt) },
  { title: 'changes', of: ({ effect }: Run) => effectText(effect === undefined ? {} : { effect })?.sentence ?? '' },
];
