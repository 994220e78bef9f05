import { callLine, readAll } from '@countersign/client';
import { whyNotUndone, type Run, type UndoableCall } from '@countersign/protocol';
import type { Command } from 'commander';
import { effectLines } from '../../card/effect-lines.js';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { confirm } from '../../input/confirm.js';
import { EXIT } from '../../exit-codes.js';
import { findThing, findWorlds } from '../../find-things.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { printLines } from '../../text/print-lines.js';
import { undoHelp as help } from '../../words/help-decide.js';
import { withHelp, WORLD_OR_ALL, YES } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { findRun } from './runs.js';

type Listed = UndoableCall & { world: string };

/** `countersign undo` (CHANGE10). */
export function addUndo(program: Command, register: Register): void {
  const command = program.command('undo').argument('[call-or-run]').option('-w, --world <world>', WORLD_OR_ALL);
  register<{ world?: string; yes?: boolean }>(
    withHelp(command.option('--yes', YES), help),
    async (context, { args: [given], options }) => {
      const client = await context.client();
      const run = given?.startsWith('run_') === true ? await findApplied(context, given, options.world) : undefined;
      const word = run?.callId ?? given;
      const worlds = await findWorlds(client, run?.world ?? options.world);
      const all: Listed[] = [];
      for (const { id: world } of worlds) {
        const listed = await readAll((page) => client.undoable(world, page));
        all.push(...listed.map((call) => ({ ...call, world })));
      }
      if (word === undefined) {
        showList(context, all, COLUMNS, results.noUndo);
        return;
      }
      const listed = all.map((call) => ({ id: call.toolCallId, world: call.world, call }));
      const [only] = worlds.length === 1 ? worlds : [];
      const isListed = listed.some((each) => each.id.startsWith(word));
      // A call that isn't listed may have been undone, which the server says.
      const found =
        isListed || only === undefined ? findThing(listed, word, { what: 'call' }) : { id: word, world: only.id };
      const { id, world } = found;
      const preview = await client.previewUndo(world, id);
      if (preview.state !== 'ready') throw new CommandError(whyNotUndone(preview), EXIT.failed);
      const { effect } = preview;
      const what = 'call' in found ? callText(found.call) : id;
      const width = context.columns() ?? 80;
      const lines = effectLines({ effect }, width, 'brief', results.undoMeaning);
      if (!context.options.json)
        context.note([results.undoEffect(what), ...printLines(lines, width, context.paint)].join('\n'));
      await confirm(context, { yes: options.yes, what: results.undoing(id) });
      await client.undo(world, id, effect.effectHash);
      showDone(context, results.undone(what), { undone: id, effect });
    },
  );
}

/** The run whose call can be undone, or was. */
async function findApplied(context: CommandContext, word: string, world: string | undefined): Promise<Run> {
  const found = await findRun(context, word, world);
  const client = await context.client();
  const run = await client.runs.get(found.world, found.id);
  if (run.state !== 'applied' && run.state !== 'undone')
    throw new CommandError(results.notAppliedYet(run), EXIT.failed);
  return run;
}

const COLUMNS = [
  { title: 'id', of: ({ toolCallId }: Listed) => toolCallId },
  { title: 'world', of: ({ world }: Listed) => world },
  { title: 'agent', of: ({ agentId }: Listed) => agentId },
  { title: 'call', of: (call: Listed) => callText(call) },
  { title: 'ended', of: ({ settledAt }: Listed) => minuteText(settledAt) },
];

function callText({ toolName, arguments: args }: UndoableCall): string {
  return plainLine(`${toolName} ${callLine(toolName, args)}`);
}
