import { readAll } from '@countersign/client';
import type { Schedule } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { clientIn, findChat, findThing } from '../../find-things.js';
import { minuteText } from '../../text/clock-text.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { errors } from '../../words/errors.js';
import { CHAT, withHelp, WORLD } from '../../words/help.js';
import { schedulesHelp as help } from '../../words/help-chat.js';
import { results } from '../../words/results.js';

interface AddFlags {
  world?: string;
  chat: string;
  cron?: string;
  at?: string;
  timeZone?: string;
}

/** `countersign schedules` (SCHED6). */
export function addSchedules(program: Command, register: Register): void {
  const schedules = program.command('schedules').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<{ world?: string }>(
    withHelp(inWorld(schedules.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const { client, world } = await clientIn(context, options.world);
      const columns = [
        { title: 'id', of: ({ id }: Schedule) => id },
        { title: 'state', of: ({ state, skippedAt }: Schedule) => results.scheduleState(state, skippedAt) },
        { title: 'by', of: ({ by }: Schedule) => by.name },
        { title: 'when', of: whenOf },
        { title: 'next', of: ({ dueAt }: Schedule) => (dueAt === undefined ? '' : minuteText(dueAt)) },
        { title: 'message', of: ({ content }: Schedule) => content, isProse: true as const },
      ];
      showList(context, await readAll(() => client.schedules(world)), columns, results.noSchedules);
    },
  );
  register<AddFlags>(
    withHelp(inWorld(schedules.command('add').argument('<message>', help.message)), help.add)
      .requiredOption('-c, --chat <chat>', CHAT)
      .option('--cron <expression>', help.cron)
      .option('--at <time>', help.at)
      .option('--time-zone <zone>', help.timeZone),
    async (context, { args: [content = ''], options }) => {
      const { cron, at, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
      const when = at === undefined ? {} : { at: readTime(at) };
      const { client, world } = await clientIn(context, options.world);
      const { id: chatId } = await findChat(client, world, options.chat);
      const made = await client.addSchedule(world, {
        chatId,
        content,
        ...(cron !== undefined && { cron }),
        ...when,
        timeZone,
      });
      showDone(context, results.scheduleAdded(made.id, minuteText(made.dueAt ?? '')), made);
    },
  );
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    register<{ world?: string }>(
      withHelp(inWorld(schedules.command(name).argument('<schedule>', help.schedule)), help[name]),
      async (context, { args: [word = ''], options }) => {
        const { client, world } = await clientIn(context, options.world);
        const { id } = findThing(await readAll(() => client.schedules(world)), word, { what: 'schedule', world });
        const changed = await client.changeSchedule(world, id, { paused });
        showDone(context, paused ? results.schedulePaused(id) : results.scheduleResumed(id), changed);
      },
    );
  }
  register<{ world?: string }>(
    withHelp(inWorld(schedules.command('remove').argument('<schedule>', help.schedule)), help.remove),
    async (context, { args: [word = ''], options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id } = findThing(await readAll(() => client.schedules(world)), word, { what: 'schedule', world });
      await client.removeSchedule(world, id);
      showDone(context, results.scheduleRemoved(id), { removed: id });
    },
  );
}

function whenOf({ cron, at, timeZone }: Schedule): string {
  return cron === undefined ? minuteText(at ?? '') : `${cron} (${timeZone})`;
}

/** A time without an offset is one on this machine. */
function readTime(text: string): string {
  const time = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new CommandError(errors.notATime('--at', text), EXIT.usage);
}
