import { text } from 'node:stream/consumers';
import { isWaiting, readAll, readerId, type Client } from '@countersign/client';
import type { Chat, World } from '@countersign/protocol';
import type { Command } from 'commander';
import { openAlerts } from '../../alerts/alerts.js';
import { createJsonPrinter } from '../../chat/json-printer.js';
import { createPrinter, type Printer } from '../../chat/printer.js';
import { runInteractive } from '../../chat/run-interactive.js';
import { runOnce } from '../../chat/run-once.js';
import { openSession, type Answering, type PersonHere } from '../../chat/session.js';
import { completeLine } from '../../chat/slash-commands.js';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { findChat, findWorld } from '../../find-things.js';
import { openKeyboard, type Keyboard } from '../../input/keyboard.js';
import { cutTo } from '../../text/cells.js';
import { plainLine, proseLine } from '../../text/plain-text.js';
import { readChoice, readDuration } from '../read-flags.js';
import type { Register } from '../register.js';
import { chatWords } from '../../words/chat.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { chatHelp, NO_ALERTS } from '../../words/help-chat.js';

interface ChatFlags {
  world?: string;
  chat?: string;
  new?: boolean;
  unattended?: string;
  timeout?: string;
  attach?: readonly string[];
  alerts?: boolean;
}

/** `countersign chat` (TERM2): interactive, one-shot, or from a pipe. */
export function addChat(program: Command, register: Register): void {
  const command = withHelp(program.command('chat').argument('[message...]', chatHelp.message), chatHelp)
    .option('-w, --world <world>', chatHelp.world)
    .option('-c, --chat <chat>', chatHelp.chat)
    .option('--new', chatHelp.new)
    .option('--unattended <what>', chatHelp.unattended, 'deny')
    .option('--attach <file...>', chatHelp.attach)
    .option('--timeout <time>', chatHelp.timeout)
    .option('--no-alerts', NO_ALERTS);
  register<ChatFlags>(command, async (context, { args, options }) => {
    const unattended = readChoice(options.unattended ?? 'deny', '--unattended', ['deny', 'wait']);
    const timeoutMs = options.timeout === undefined ? undefined : readDuration(options.timeout, '--timeout');
    const content = await readContent(context, args);
    const { attach: files = [] } = options;
    if (files.length > 0 && content === undefined) throw new CommandError(errors.attachWithoutMessage);
    const isConversation = context.isPerson && content === undefined;
    const client = await context.client(isConversation ? 'resume' : 'leave');
    if (isConversation) context.leave();
    const world = await findWorld(client, options.world);
    const chosen = options.chat === undefined ? undefined : await findChat(client, world.id, options.chat);
    if (!context.isPerson) {
      if (content === undefined) throw new CommandError(errors.noMessage);
      const chat = chosen ?? (await client.createChat(world.id));
      return await speakOnce(context, client, world, chat, { kind: unattended }, { content, timeoutMs, files });
    }
    if (content === undefined)
      return await talkIn(context, client, world, { chosen, isNew: options.new === true, alerts: options.alerts });
    const reached = { world, alerts: options.alerts };
    return await withPerson(context, client, reached, async (person) => {
      const chat = chosen ?? (await client.createChat(world.id));
      return await speakOnce(context, client, world, chat, person, { content, timeoutMs, files });
    });
  });
}

/** Starts a conversation in this world: the given chat, the last unfinished one, or a new one. */
export async function talkIn(
  context: CommandContext,
  client: Client,
  world: World,
  beginning: Beginning = { chosen: undefined, isNew: false },
): Promise<number> {
  const { alerts } = beginning;
  return await withPerson(
    context,
    client,
    { world, alerts },
    async (person) => await converse(context, client, world, person, beginning),
  );
}

async function withPerson(
  context: CommandContext,
  client: Client,
  { world, alerts: isAlerted = true }: { world: World; alerts: boolean | undefined },
  work: (person: PersonHere) => Promise<number>,
): Promise<number> {
  const agents = await readAll((page) => client.agents(world.id, page));
  const keyboard = openKeyboard(context.console, (line) => completeLine(line, agents, world.mainAgent));
  const alerts = isAlerted ? openAlerts(context.console) : undefined;
  try {
    return await work({ kind: 'person', keyboard, alerts });
  } finally {
    alerts?.close();
    keyboard.close();
  }
}

/** The message from the command line, and from standard input if requested or if there is no other message. */
async function readContent(
  { isPerson, console }: CommandContext,
  words: readonly string[],
): Promise<string | undefined> {
  const wantsInput = words.includes('-') || (words.length === 0 && !isPerson && !console.stdin.isTTY);
  const said = words.filter((word) => word !== '-').join(' ');
  const piped = wantsInput ? (await text(console.stdin)).trim() : '';
  const content = [said, piped].filter((part) => part !== '').join('\n\n');
  if (content.trim() !== '') return content;
  if (words.length > 0 || wantsInput) throw new CommandError(errors.emptyMessage);
  return undefined;
}

async function speakOnce(
  context: CommandContext,
  client: Client,
  world: World,
  chat: Chat,
  answering: Answering,
  message: { content: string; timeoutMs: number | undefined; files: readonly string[] },
): Promise<number> {
  const me = await readerId(client);
  const printer = printerFor(context, answering.kind === 'person' ? answering.keyboard : undefined, me, world);
  const session = await openSession({
    context,
    client,
    world: world.id,
    chat: chat.id,
    printer,
    answering,
    isResumed: false,
  });
  try {
    return await runOnce(context, session, answering, message);
  } finally {
    session.close();
    printer.breakLine();
  }
}

function printerFor(
  context: CommandContext,
  keyboard: Keyboard | undefined,
  me: string | undefined,
  { mainAgent }: World,
): Printer {
  if (context.options.json) return createJsonPrinter(context.jsonLine);
  const { stdout } = context.console;
  const write = (shown: string): void => {
    if (keyboard === undefined) stdout.write(shown);
    else keyboard.print(shown);
  };
  return createPrinter({ write, paint: context.paint, columns: () => context.columns() ?? 100, me, mainAgent });
}

interface Beginning {
  chosen: Chat | undefined;
  isNew: boolean;
  alerts?: boolean | undefined;
}

async function converse(
  context: CommandContext,
  first: Client,
  world: World,
  answering: PersonHere,
  { chosen, isNew }: Beginning,
): Promise<number> {
  const { keyboard } = answering;
  let client = first;
  let chat = chosen ?? (isNew ? undefined : await unfinished(client, world.id));
  const me = await readerId(client);
  for (;;) {
    const isResumed = chat !== undefined;
    chat ??= await client.createChat(world.id);
    const printer = printerFor(context, keyboard, me, world);
    const session = await openSession({
      context,
      client,
      world: world.id,
      chat: chat.id,
      printer,
      answering,
      isResumed,
    });
    try {
      greet(context, keyboard, world, chat, isResumed);
      const leaving = await runInteractive(context, session, keyboard, world);
      client = session.client();
      if (leaving.kind === 'end') return leaving.exitCode;
      chat = leaving.kind === 'chat' ? await findOr(client, world.id, leaving.id, chat, keyboard) : undefined;
    } finally {
      session.breakLine();
      for (const { content } of session.outbox.getState().filter(isWaiting))
        keyboard.print(`${chatWords.lost(proseLine(content))}\n`);
      session.close();
      printer.breakLine();
    }
  }
}

/** The newest chat, if it is unfinished (CALL9). */
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

function greet(context: CommandContext, keyboard: Keyboard, world: World, chat: Chat, isResumed: boolean): void {
  const { paint } = context;
  const room = Math.max(10, (context.columns() ?? 80) - world.name.length - 4);
  keyboard.print(`${paint.bold(plainLine(world.name))}  ${cutTo(proseLine(chat.title), room)}\n`);
  if (isResumed && chat.status !== 'idle') keyboard.print(`${chatWords.unfinished}\n`);
  keyboard.print(paint.dim(`${chatWords.hint}\n`));
  if (!isResumed && world.id === 'harbour') keyboard.print(paint.dim(`${chatWords.demo}\n`));
}
