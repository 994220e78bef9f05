import { once } from 'node:events';
import {
  ClientError,
  get,
  isForYou,
  isWaiting,
  recipientsText,
  rowAt,
  whoAnswers,
  type ChatState,
} from '@countersign/client';
import type { World } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { describeFailure } from '../describe-failure.js';
import { EXIT } from '../exit-codes.js';
import type { Keyboard, Typed } from '../input/keyboard.js';
import { BAR, wrapProse } from '../text/behind-bar.js';
import { cutTo } from '../text/cells.js';
import { plainLine, proseLine } from '../text/plain-text.js';
import type { CommandContext } from '../context.js';
import { branchHere } from './branch-chat.js';
import { chatCost } from './chat-cost.js';
import { exportChat } from './export-chat.js';
import { readSlashCommand, type SlashCommand } from './slash-commands.js';
import type { Session } from './session.js';
import { slashHelp } from './slash-help.js';
import { cardWords } from '../words/cards.js';
import { chatWords } from '../words/chat.js';
import { CHAT_NOTES } from '../words/help-chat.js';
import { results } from '../words/results.js';

/** How the conversation ends: the person leaves or opens another chat. */
export type Leaving = { kind: 'end'; exitCode: number } | { kind: 'new' } | { kind: 'chat'; id: string };

function lastThinking({ transcript, messages }: ChatState): string | undefined {
  for (let at = transcript.length - 1; at >= 0; at -= 1) {
    const thinking = get(messages, rowAt(transcript, at) ?? '')?.thinking;
    if (thinking !== undefined) return thinking;
  }
  return undefined;
}

/** Runs a conversation until the person leaves. Messages typed while agents work are sent immediately; a card always asks separately. */
export async function runInteractive(
  context: CommandContext,
  session: Session,
  keyboard: Keyboard,
  { id: world, mainAgent }: World,
): Promise<Leaving> {
  const way: { leaving?: Leaving } = {};
  const left = new AbortController();
  const leftAlready = once(left.signal, 'abort').then(() => undefined);
  let isWarned = false;
  const say = (text: string): void => {
    session.breakLine();
    keyboard.print(`${text}\n`);
  };
  // Models write titles: a line wrapped by the terminal could imitate a card.
  const list = (text: string): void => say(`  ${cutTo(plainLine(text), (context.columns() ?? 80) - 4)}`);
  const failed = (error: unknown): void => say(context.paint.red(`· ${plainLine(describeFailure(error).message)}`));

  const { outbox } = session;
  /** Messages that were reported as not sent. */
  const late = new Set<string>();
  outbox.subscribe(() => {
    for (const { clientMessageId: id, progress } of outbox.getState()) {
      if (progress.kind === 'retrying' || (progress.kind === 'sending' && session.isAway())) {
        if (!late.has(id)) say(context.paint.amber(chatWords.notSent));
        late.add(id);
      } else if (progress.kind !== 'sending') {
        outbox.remove([id]);
        if (progress.kind === 'refused') say(context.paint.red(`· ${plainLine(progress.why)}`));
        else if (late.has(id)) say(context.paint.dim(chatWords.sent));
      }
    }
  });
  /** The last unsent message that the person was warned about. */
  let warnedOf: string | undefined;
  function mayLeave(): boolean {
    const last = outbox.getState().findLast(isWaiting)?.clientMessageId;
    if (last === undefined || last === warnedOf) return true;
    warnedOf = last;
    say(context.paint.amber(chatWords.leaveUnsent));
    return false;
  }

  async function obey(command: SlashCommand): Promise<void> {
    switch (command.kind) {
      case 'help':
        say(slashHelp('chat', CHAT_NOTES, context.columns() ?? 80));
        break;
      case 'stop':
        await session.stop();
        say(chatWords.stopped);
        break;
      case 'new':
        if (mayLeave()) way.leaving = { kind: 'new' };
        break;
      case 'chat':
        if (command.argument !== '') {
          if (mayLeave()) way.leaving = { kind: 'chat', id: command.argument };
          break;
        }
        return await obey({ kind: 'chats', argument: '' });
      case 'chats': {
        const { items } = await session.client().chats(world, { newest: true, limit: 20 });
        for (const { id, status, title } of items) list(`${id}  ${status.padEnd(7)}  ${title}`);
        break;
      }
      case 'agents':
        for (const { id, name, provider, model } of session.state().agents)
          say(`  ${context.paint.agent(id, plainLine(name))}  ${plainLine(`${provider}/${model}`)}`);
        break;
      case 'branch': {
        if (!mayLeave()) break;
        const { id } = await branchHere(session.client(), world, session.chat, command.argument);
        way.leaving = { kind: 'chat', id };
        break;
      }
      case 'export':
        say(`· ${plainLine(results.wrote(await exportChat(session.client(), world, session.chat, command.argument)))}`);
        break;
      case 'cost':
        for (const line of await chatCost(session.client(), { world, chat: session.chat }, session.state().agents))
          say(`  ${plainLine(line)}`);
        break;
      case 'thinking': {
        const text = lastThinking(session.state());
        if (text === undefined) say(`  ${chatWords.noThoughts}`);
        else for (const line of wrapProse(text, context.columns() ?? 80)) say(context.paint.dim(`${BAR}${line}`));
        break;
      }
      case 'approvals': {
        const { items } = await session.client().approvals(world);
        if (items.length === 0) say(`  ${cardWords.noneWaiting}`);
        for (const approval of items) {
          const { agentName, toolName, approvalId, chatId } = approval;
          const place = chatId === session.chat ? '' : `  in /chat ${chatId}`;
          const others = isForYou(approval, session.state().me) ? '' : `  ${cardWords.forOthers}`;
          list(`${agentName} · ${toolName}  ${approvalId}${place}${others}`);
        }
        break;
      }
      case 'unknown':
        say(`· ${cutTo(plainLine(command.hint), 200)}`);
        break;
      case 'quit':
        if (mayLeave()) way.leaving = { kind: 'end', exitCode: EXIT.ok };
        break;
    }
    if (way.leaving !== undefined) left.abort();
  }

  async function take(line: string): Promise<void> {
    const command = readSlashCommand(line, 'chat');
    try {
      if (command !== undefined) await obey(command);
      else if (line.trim() !== '') session.post(line);
    } catch (error) {
      // The input was invalid, a file can't be written, or the server is unreachable: the conversation continues.
      if (!(error instanceof ClientError || error instanceof CommandError)) throw error;
      failed(error);
    }
  }

  function loose(typed: Typed): void {
    if (typed.kind === 'interrupt') {
      if (session.isAway()) {
        if (!mayLeave()) return;
        // Don't wait for a request that may be waiting for the server.
        way.leaving = { kind: 'end', exitCode: EXIT.interrupted };
        left.abort();
        return;
      }
      if (session.isAtCard()) return;
      say('· Stopping');
      session.stop().catch(failed);
    } else if (typed.kind === 'line' && typed.text.trim() !== '') {
      say(context.paint.dim(`you  ${proseLine(typed.text)}`));
      take(typed.text).catch(failed);
    }
  }

  /** Shows who will answer above the input line, so that the typed text doesn't move (WORLD3.6). */
  function promptFor(line: string): string {
    const you = context.paint.bold('you  ');
    const { agents } = session.state();
    if (line.startsWith('/')) return `\n${you}`;
    const who = whoAnswers(line, agents, mainAgent);
    const text = recipientsText(who);
    const fix = who.kind === 'nobody' && who.fixed !== undefined ? chatWords.fixHint : '';
    const shown = `  ${cutTo(plainLine(text), (context.columns() ?? 80) - fix.length - 4)}${fix}`;
    return `${who.kind === 'nobody' ? context.paint.amber(shown) : context.paint.dim(shown)}\n${you}`;
  }

  keyboard.onLoose(loose);
  while (way.leaving === undefined) {
    const settled = await Promise.race([session.settle({ signal: left.signal }), leftAlready]);
    if (way.leaving !== undefined) return way.leaving;
    if (settled === 'left')
      say(`· ${chatWords.left(String(session.state().queue.length), { world, id: session.chat })}`);
    if (keyboard.hasEnded()) return { kind: 'end', exitCode: EXIT.ok };
    if (settled === 'left') return { kind: 'end', exitCode: EXIT.interrupted };
    const typed = await keyboard.ask({ prompt: promptFor, typeAhead: true });
    switch (typed.kind) {
      case 'line':
        isWarned = false;
        await Promise.race([take(typed.text), leftAlready]);
        break;
      case 'interrupt':
        if (!mayLeave()) break;
        if (isWarned || session.isAway()) return { kind: 'end', exitCode: EXIT.interrupted };
        isWarned = true;
        say(context.paint.dim(chatWords.interruptAgain));
        break;
      case 'end':
        return { kind: 'end', exitCode: EXIT.ok };
      case 'cancelled':
        break;
    }
  }
  return way.leaving;
}
