import { text } from 'node:stream/consumers';
import { readAll, type Client } from '@countersign/client';
import type { Chat, World } from '@countersign/protocol';
import type { Command } from 'commander';
import { createJsonPrinter } from '../chat/json-printer.js';
import { createPrinter, type Printer } from '../chat/printer.js';
import { runInteractive } from '../chat/run-interactive.js';
import { runOnce } from '../chat/run-once.js';
import { openSession, type Answering } from '../chat/session.js';
import { completeLine } from '../chat/slash-commands.js';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { findChat, findWorld } from '../find-things.js';
import { openKeyboard, type Keyboard } from '../keyboard.js';
import { cutTo } from '../text/cells.js';
import { plainLine, proseLine } from '../text/plain-text.js';
import { readChoice, readDuration } from './read-flags.js';
import type { Register } from './register.js';

interface ChatFlags {
  world?: string;
  chat?: string;
  new?: boolean;
  unattended?: string;
  timeout?: string;
}

/** `countersign chat` (X2): talk; interactive, one-shot, or from a pipe. */
export function addChat(program: Command, register: Register): void {
  const command = program
    .command('chat')
    .argument('[message...]', 'the message; - reads it, or the rest of it, from standard input')
    .description('Talk to the agents of a world: interactively, once, or from a pipe.')
    .option('-w, --world <world>', 'the world; required if there are several')
    .option('-c, --chat <chat>', 'continue this chat: its id, or "last"')
    .option('--new', 'start a new chat even if the last one is unfinished')
    .option('--unattended <what>', 'deny or wait, if there is no terminal to ask in', 'deny')
    .option('--timeout <time>', 'give up after this, such as 90s or 5m')
    .addHelpText(
      'after',
      '\nNothing is approved by default. At a card, Enter denies; Ctrl-D and Ctrl-C leave and decide nothing.',
    )
    .addHelpText('after', '\nExit codes: 0 answered, 1 failed, 2 wrong usage, 3 something was denied, 4 timed out.')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign chat -w harbour\n  countersign chat -w ops "summarise the log"\n  git diff | countersign chat -w ops "review this" -',
    );
  register<ChatFlags>(command, async (context, { args, options }) => {
    const unattended = readChoice(options.unattended ?? 'deny', '--unattended', ['deny', 'wait']);
    const timeoutMs = options.timeout === undefined ? undefined : readDuration(options.timeout, '--timeout');
    const content = await readContent(context, args);
    const isConversation = context.isPerson && content === undefined;
    const client = await context.client(isConversation ? 'take-up' : 'leave');
    if (isConversation) context.leave();
    const world = await findWorld(client, options.world);
    const chosen = options.chat === undefined ? undefined : await findChat(client, world.id, options.chat);
    if (!context.isPerson) {
      if (content === undefined)
        throw new CommandError('There is no message. Try: countersign chat -w WORLD "message"');
      const chat = chosen ?? (await client.createChat(world.id));
      return await speakOnce(context, client, world, chat, { kind: unattended }, { content, timeoutMs });
    }
    const agents = await readAll((page) => client.agents(world.id, page));
    const keyboard = openKeyboard(context.console, (line) => completeLine(line, agents));
    try {
      if (content !== undefined) {
        const chat = chosen ?? (await client.createChat(world.id));
        return await speakOnce(context, client, world, chat, { kind: 'person', keyboard }, { content, timeoutMs });
      }
      return await converse(context, client, world, keyboard, { chosen, isNew: options.new === true });
    } finally {
      keyboard.close();
    }
  });
}

/** The words of the command line, and what is piped in where that is asked for or is all there is. */
async function readContent(
  { isPerson, console }: CommandContext,
  words: readonly string[],
): Promise<string | undefined> {
  const wantsInput = words.includes('-') || (words.length === 0 && !isPerson && !console.stdin.isTTY);
  const said = words.filter((word) => word !== '-').join(' ');
  const piped = wantsInput ? (await text(console.stdin)).trim() : '';
  const content = [said, piped].filter((part) => part !== '').join('\n\n');
  if (content.trim() !== '') return content;
  if (words.length > 0 || wantsInput) throw new CommandError('The message is empty.');
  return undefined;
}

async function speakOnce(
  context: CommandContext,
  client: Client,
  world: World,
  chat: Chat,
  answering: Answering,
  message: { content: string; timeoutMs: number | undefined },
): Promise<number> {
  const printer = printerFor(context, answering.kind === 'person' ? answering.keyboard : undefined);
  const session = await openSession({
    context,
    client,
    world: world.id,
    chat: chat.id,
    printer,
    answering,
    isTakenUp: false,
  });
  try {
    return await runOnce(context, session, answering, message);
  } finally {
    session.close();
    printer.breakLine();
  }
}

function printerFor(context: CommandContext, keyboard: Keyboard | undefined): Printer {
  if (context.options.json) return createJsonPrinter(context.jsonLine);
  const { stdout } = context.console;
  const write = (shown: string): void => {
    if (keyboard === undefined) stdout.write(shown);
    else keyboard.print(shown);
  };
  return createPrinter({ write, paint: context.paint, columns: () => context.columns() ?? 100 });
}

interface Beginning {
  chosen: Chat | undefined;
  isNew: boolean;
}

async function converse(
  context: CommandContext,
  first: Client,
  world: World,
  keyboard: Keyboard,
  { chosen, isNew }: Beginning,
): Promise<number> {
  let client = first;
  let chat = chosen ?? (isNew ? undefined : await unfinished(client, world.id));
  const answering: Answering = { kind: 'person', keyboard };
  for (;;) {
    const isTakenUp = chat !== undefined;
    chat ??= await client.createChat(world.id);
    const printer = printerFor(context, keyboard);
    const session = await openSession({
      context,
      client,
      world: world.id,
      chat: chat.id,
      printer,
      answering,
      isTakenUp,
    });
    try {
      greet(context, keyboard, world, chat, isTakenUp);
      const leaving = await runInteractive(context, session, keyboard, world.id);
      client = session.client();
      if (leaving.kind === 'end') return leaving.exitCode;
      chat = leaving.kind === 'chat' ? await findOr(client, world.id, leaving.id, chat, keyboard) : undefined;
    } finally {
      session.close();
      printer.breakLine();
    }
  }
}

/** The newest chat, if something in it is not done: what was left open is taken up (A9). */
async function unfinished(client: Client, world: string): Promise<Chat | undefined> {
  const newest = (await client.chats(world, { newest: true, limit: 1 })).items.at(-1);
  return newest === undefined || newest.status === 'idle' ? undefined : newest;
}

async function findOr(client: Client, world: string, id: string, before: Chat, keyboard: Keyboard): Promise<Chat> {
  try {
    return await findChat(client, world, id);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    keyboard.print(`· ${plainLine(error.message)}\n`);
    return before;
  }
}

function greet(context: CommandContext, keyboard: Keyboard, world: World, chat: Chat, isTakenUp: boolean): void {
  const { paint } = context;
  const room = Math.max(10, (context.columns() ?? 80) - world.name.length - 4);
  keyboard.print(`${paint.bold(plainLine(world.name))}  ${cutTo(proseLine(chat.title), room)}\n`);
  if (isTakenUp && chat.status !== 'idle') keyboard.print('· This chat was left unfinished.\n');
  keyboard.print(paint.dim('· /help lists the commands. Ctrl-C stops the agents, Ctrl-D leaves.\n'));
  if (!isTakenUp && world.id === 'harbour') keyboard.print(paint.dim('· Try: Please tidy the notes folder.\n'));
}
