import { callLine, effectText, readAll } from '@countersign/client';
import { whyNotUndone, type UndoableCall } from '@countersign/protocol';
import type { Command } from 'commander';
import { describeEffectLines } from '../../card/describe-approval.js';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import { EXIT } from '../../exit-codes.js';
import { findWorld, findWorlds } from '../../find-things.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { errors } from '../../words/errors.js';
import { undoHelp as help } from '../../words/help-decide.js';
import { withHelp, WORLD_OR_ALL, YES } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';

type Listed = UndoableCall & { world: string };

/** `countersign undo` (A58). */
export function addUndo(program: Command, register: Register): void {
  const command = program.command('undo').argument('[call]').option('-w, --world <world>', WORLD_OR_ALL);
  register<{ world?: string; yes?: boolean }>(
    withHelp(command.option('--yes', YES), help),
    async (context, { args: [id], options }) => {
      const client = await context.client();
      const worlds =
        options.world === undefined ? await findWorlds(client, undefined) : [await findWorld(client, options.world)];
      const all: Listed[] = [];
      for (const { id: world } of worlds) {
        const listed = await readAll((page) => client.undoable(world, page));
        all.push(...listed.map((call) => ({ ...call, world })));
      }
      if (id === undefined) {
        showList(context, all, COLUMNS, results.noUndo);
        return;
      }
      const found = all.find(({ toolCallId }) => toolCallId === id);
      // A call that isn't listed may have been undone, which the server says.
      const world = found?.world ?? (worlds.length === 1 ? worlds[0]?.id : undefined);
      if (world === undefined) {
        const ids = all.map(({ toolCallId }) => toolCallId);
        throw new CommandError(errors.notFound('call', id, suggestion(id, ids)));
      }
      const preview = await client.previewUndo(world, id);
      if (preview.state !== 'ready') throw new CommandError(whyNotUndone(preview), EXIT.failed);
      const { effect } = preview;
      const what = found === undefined ? id : callText(found);
      const text = effectText({ effect });
      if (!context.options.json && text !== undefined)
        context.note(
          [results.undoEffect(what), ...describeEffectLines(text, context.columns() ?? 80, false)].join('\n'),
        );
      await confirm(context, { yes: options.yes, what: results.undoing(id) });
      await client.undo(world, id, effect.effectHash);
      showDone(context, results.undone(what), { undone: id, effect });
    },
  );
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
