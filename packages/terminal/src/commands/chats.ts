import { readAll } from '@countersign/client';
import type { Chat, Message } from '@countersign/protocol';
import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import { findChat, findWorld } from '../find-things.js';
import { readCount } from './read-flags.js';
import { readTimelines, showTimeline } from './chat-timeline.js';
import { behindBar, proseBehindBar } from '../text/behind-bar.js';
import { minuteWords } from '../text/clock-words.js';
import { plainLine } from '../text/plain-text.js';
import type { Register } from './register.js';
import { showDone, showList } from './show-list.js';

interface ChatFlags {
  world?: string;
  yes?: boolean;
  title?: string;
  last?: string;
}

/** `needsServer`: it has unfinished work, and no process is running it. */
type Listed = Chat & { readonly needsServer?: true };

/** `countersign chats` (X3). */
export function addChats(program: Command, register: Register): void {
  const chats = program.command('chats').description('Manage the chats of a world.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'the world');
  register<ChatFlags>(
    inWorld(chats.command('list', { isDefault: true }))
      .description('List the chats of a world, newest last.')
      .addHelpText('after', '\nExample:\n  countersign chats list -w harbour'),
    async (context, { options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const stalled = new Set(await (await context.ownServer())?.stalledChats());
      const all = (await readAll((page) => client.chats(world, page))).map((chat): Listed =>
        stalled.has(chat.id) ? { ...chat, needsServer: true } : chat,
      );
      const columns = [
        { title: 'id', of: ({ id }: Chat) => id },
        {
          title: 'status',
          of: ({ status, needsServer }: Listed) => (needsServer ? `${status}, needs a server` : status),
        },
        { title: 'made', of: ({ createdAt }: Chat) => minuteWords(createdAt) },
        { title: 'title', of: ({ title }: Chat) => title, isProse: true as const },
      ];
      showList(context, all, columns, `"${world}" has no chat yet. Begin one with: countersign chat -w ${world}`);
      if (!context.options.json && all.some(({ needsServer }) => needsServer))
        context.note('No process continues the chats that need a server. Run: countersign serve');
    },
  );
  register<ChatFlags>(
    inWorld(chats.command('show').argument('<chat>', 'its id, or "last"'))
      .description('Print the transcript of a chat.')
      .addHelpText('after', '\nExample:\n  countersign chats show last -w harbour'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const chat = await findChat(client, world, args[0] ?? '');
      const messages = await readAll((page) => client.messages(world, chat.id, page));
      if (context.options.json) context.json({ ...chat, messages });
      else for (const message of messages) showMessage(message, context.columns() ?? 100, (line) => context.say(line));
    },
  );
  register<ChatFlags>(
    inWorld(chats.command('add'))
      .description('Start a chat.')
      .option('--title <title>', 'its title')
      .addHelpText('after', '\nExample:\n  countersign chats add -w harbour --title "Release notes"'),
    async (context, { options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const made = await client.createChat(world, options.title === undefined ? {} : { title: options.title });
      showDone(context, `Started the chat ${made.id}.`, made);
    },
  );
  register<ChatFlags>(
    inWorld(chats.command('edit').argument('<chat>'))
      .description('Rename a chat.')
      .requiredOption('--title <title>', 'its title')
      .addHelpText('after', '\nExample:\n  countersign chats edit last -w harbour --title "Release notes"'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const changed = await client.renameChat(world, id, options.title ?? '');
      showDone(context, `The chat ${id} is called "${changed.title}".`, changed);
    },
  );
  register<ChatFlags>(
    inWorld(chats.command('stop').argument('<chat>'))
      .description('Stop a chat: end what runs and deny what waits.')
      .addHelpText('after', '\nExample:\n  countersign chats stop last -w harbour'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      await client.stop(world, id);
      showDone(context, `Stopped ${id}.`, { stopped: id });
    },
  );
  register<ChatFlags>(
    inWorld(chats.command('timeline').argument('<chat>', 'its id, or "last"').argument('[turn]', 'only this turn'))
      .description('Show what the last turns spent their time on: models, tools, waiting for people.')
      .option('--last <n>', 'how many turns', '5')
      .addHelpText('after', '\nExample:\n  countersign chats timeline last -w harbour'),
    async (context, { args, options }) => {
      const last = readCount(options.last ?? '5', '--last');
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const items = await readTimelines(client, world, id, { turn: args[1], last });
      if (context.options.json) context.json({ items });
      else for (const timeline of items) showTimeline(context, timeline);
    },
  );
  register<ChatFlags>(
    inWorld(chats.command('remove').argument('<chat>'))
      .description('Delete a chat.')
      .option('--yes', 'skip the confirmation')
      .addHelpText('after', '\nExample:\n  countersign chats remove last -w harbour'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const { id, title } = await findChat(client, world, args[0] ?? '');
      await confirm(context, { yes: options.yes, what: `The chat "${title}" will be gone.` });
      await client.deleteChat(world, id);
      showDone(context, `Deleted the chat ${id}.`, { removed: id });
    },
  );
}

export function showMessage(
  { role, sender, content, tool_calls: calls = [], tool_call_id: answered = '' }: Message,
  columns: number,
  say: (line: string) => void,
  detail: 'text-only' | 'with-calls' = 'text-only',
): void {
  const isAll = detail === 'with-calls';
  // Questions to people and their answers are in the audit log, in a form that is easier to read.
  const shown = isAll ? calls.filter(({ function: { name } }) => !name.startsWith('client.')) : [];
  if (role === 'tool' && (!isAll || answered.startsWith('approval_'))) return;
  if (content === '' && shown.length === 0) return;
  say(plainLine(role === 'tool' ? 'result' : sender));
  if (content !== '') say((role === 'tool' ? behindBar : proseBehindBar)(content, columns));
  for (const { function: call } of shown) say(behindBar(`→ ${plainLine(call.name)} ${call.arguments}`, columns));
}
