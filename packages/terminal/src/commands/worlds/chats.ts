import { attachmentText, callLine, readAll, stoppedText } from '@countersign/client';
import type { Chat, Message } from '@countersign/protocol';
import { type Command, Option } from 'commander';
import { branchAfter } from '../../chat/branch-chat.js';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import { clientIn, findChat } from '../../find-things.js';
import { readTimelines, showTimeline } from './chat-timeline.js';
import { behindBar, proseBehindBar } from '../../text/behind-bar.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { putOut, writeNew } from '../../put-out.js';
import { readChoice, readCount } from '../read-flags.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { CHAT, withHelp, WORLD, YES } from '../../words/help.js';
import { chatsHelp as help } from '../../words/help-worlds.js';
import { errors } from '../../words/errors.js';
import { results } from '../../words/results.js';

interface ChatFlags {
  world?: string;
  yes?: boolean;
  title?: string;
  filed?: 'pinned' | 'archived' | 'none';
  last?: string;
  out?: string;
  format?: string;
}

/** `needsServer`: the chat has unfinished work, and no process is running it. */
type Listed = Chat & { readonly needsServer?: true };

/** `countersign chats` (TERM3). */
export function addChats(program: Command, register: Register): void {
  const chats = program.command('chats').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<ChatFlags>(
    withHelp(inWorld(chats.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const { client, world } = await clientIn(context, options.world);
      const stalled = new Set(await (await context.ownServer())?.stalledChats());
      const all = (await readAll((page) => client.chats(world, page))).map((chat): Listed =>
        stalled.has(chat.id) ? { ...chat, needsServer: true } : chat,
      );
      const columns = [
        { title: 'id', of: ({ id }: Chat) => id },
        {
          title: 'status',
          of: ({ status, needsServer }: Listed) => (needsServer ? results.needsServer(status) : status),
        },
        ...(all.some(({ filed }) => filed !== undefined)
          ? [{ title: 'filed', of: ({ filed }: Chat) => filed ?? '' }]
          : []),
        { title: 'created', of: ({ createdAt }: Chat) => minuteText(createdAt) },
        { title: 'title', of: ({ title }: Chat) => title, isProse: true as const },
      ];
      showList(context, all, columns, results.noChats(world));
      if (!context.options.json && all.some(({ needsServer }) => needsServer)) context.note(results.chatsNeedServer);
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('show').argument('<chat>', CHAT)), help.show),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const chat = await findChat(client, world, args[0] ?? '');
      const messages = await readAll((page) => client.messages(world, chat.id, page));
      if (context.options.json) context.json({ ...chat, messages });
      else for (const message of messages) showMessage(message, context.columns() ?? 100, (line) => context.say(line));
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('add')), help.add).option('--title <title>', help.title),
    async (context, { options }) => {
      const { client, world } = await clientIn(context, options.world);
      const made = await client.createChat(world, options.title === undefined ? {} : { title: options.title });
      showDone(context, results.chatCreated(made.id), made);
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('edit').argument('<chat>', CHAT)), help.edit)
      .option('--title <title>', help.title)
      .addOption(new Option('--filed <where>', help.filed).choices(['pinned', 'archived', 'none'])),
    async (context, { args, options }) => {
      const { title, filed } = options;
      if (title === undefined && filed === undefined) throw new CommandError(errors.nothingToChange);
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const changed = await client.changeChat(world, id, {
        ...(title === undefined ? {} : { title }),
        ...(filed === undefined ? {} : { filed: filed === 'none' ? null : filed }),
      });
      showDone(context, results.chatChanged(id, changed), changed);
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('stop').argument('<chat>', CHAT)), help.stop),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      await client.stop(world, id);
      showDone(context, results.chatStopped(id), { stopped: id });
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('tell').argument('<chat>', CHAT).argument('<sentence>', help.sentence)), help.tell),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      await client.tell(world, id, args[1] ?? '');
      showDone(context, results.chatTold(id), { told: id });
    },
  );
  register<ChatFlags>(
    withHelp(
      inWorld(chats.command('timeline').argument('<chat>', CHAT).argument('[turn]', help.turn)),
      help.timeline,
    ).option('--last <n>', help.last, '5'),
    async (context, { args, options }) => {
      const last = readCount(options.last ?? '5', '--last');
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const items = await readTimelines(client, world, id, { turn: args[1], last });
      if (context.options.json) context.json({ items });
      else for (const timeline of items) showTimeline(context, timeline);
    },
  );
  register<ChatFlags>(
    withHelp(
      inWorld(chats.command('attachment').argument('<chat>', CHAT).argument('<attachment>', help.attachmentId)),
      help.attachment,
    ).requiredOption('--out <file>', help.out),
    async (context, { args, options }) => {
      const { out = '' } = options;
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const content = await client.attachment(world, id, args[1] ?? '');
      await writeNew(out, new Uint8Array(await content.arrayBuffer()));
      showDone(context, plainLine(results.wrote(out)), { wrote: out });
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('export').argument('<chat>', CHAT)), help.export)
      .option('--format <format>', help.format, 'md')
      .option('--out <file>', help.out),
    async (context, { args, options }) => {
      const format = readChoice(options.format ?? 'md', '--format', ['md', 'json']);
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const kind = format === 'json' ? 'json' : 'text';
      await putOut(options.out, await client.exportChat(world, id, format), (text) => context.put(text, kind));
      if (options.out !== undefined) context.note(results.wrote(options.out));
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('branches').argument('<chat>', CHAT)), help.branches),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const columns = [
        { title: 'id', of: (chat: Chat) => chat.id },
        { title: 'created', of: ({ createdAt }: Chat) => minuteText(createdAt) },
        { title: 'title', of: ({ title }: Chat) => title, isProse: true as const },
      ];
      showList(context, (await client.branches(world, id)).items, columns, '');
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('branch').argument('<chat>', CHAT).argument('[answer]', help.answer)), help.branch),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findChat(client, world, args[0] ?? '');
      const made = await branchAfter(client, world, id, args[1]);
      showDone(context, results.chatCreated(made.id), made);
    },
  );
  register<ChatFlags>(
    withHelp(inWorld(chats.command('remove').argument('<chat>', CHAT)), help.remove).option('--yes', YES),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id, title } = await findChat(client, world, args[0] ?? '');
      await confirm(context, { yes: options.yes, what: results.chatRemoval(title) });
      await client.deleteChat(world, id);
      showDone(context, results.chatRemoved(id), { removed: id });
    },
  );
}

export function showMessage(
  { role, sender, content, tool_calls: calls = [], tool_call_id: answered = '', stoppedBy, attachments = [] }: Message,
  columns: number,
  say: (line: string) => void,
  detail: 'brief' | 'full' = 'brief',
): void {
  // Approvals and decisions are easier to read in the audit log.
  const shown = calls.filter(({ function: { name } }) => !name.startsWith('client.'));
  if (role === 'tool' && (detail === 'brief' || answered.startsWith('approval_'))) return;
  if (content === '' && shown.length === 0) return;
  say(plainLine(role === 'tool' ? 'result' : sender));
  if (content !== '') say((role === 'tool' ? behindBar : proseBehindBar)(content, columns));
  for (const file of attachments) say(behindBar(plainLine(attachmentText(file)), columns));
  if (stoppedBy !== undefined) say(plainLine(`■ ${stoppedText(stoppedBy)}`));
  for (const { function: call } of shown) {
    const what = detail === 'full' ? call.arguments : callLine(call.name, parsed(call.arguments));
    say(behindBar(`→ ${plainLine(call.name)} ${what}`.trimEnd(), columns));
  }
}

/** A model's arguments may not be JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}
