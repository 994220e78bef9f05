import { byText, durationText, type Client } from '@countersign/client';
import type { Timeline } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { cutTo, padTo } from '../../text/cells.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { results } from '../../words/results.js';

/** How many messages to search for turns. */
const MESSAGES = 200;

/** Timelines for a chat's last turns, or for one turn. Newest last. */
export async function readTimelines(
  client: Client,
  world: string,
  chat: string,
  { turn, last }: { turn: string | undefined; last: number },
): Promise<Timeline[]> {
  const turns = turn === undefined ? await turnsOf(client, world, chat) : [turn];
  if (turns.length === 0) throw new CommandError(errors.noTurnYet, 1);
  const timelines: Timeline[] = [];
  for (const id of turns.slice(-last)) timelines.push(await client.timeline(world, chat, id));
  return timelines;
}

/** A turn id consists of the message that the turn answers and the agent. */
async function turnsOf(client: Client, world: string, chat: string): Promise<string[]> {
  const { items } = await client.messages(world, chat, { newest: true, limit: MESSAGES });
  const turns = new Set<string>();
  for (const { role, agentId, replyToMessageId, tool_calls: calls = [] } of items) {
    // An approval replies to the call's message, not to the one that started the turn.
    if (calls.some(({ function: { name } }) => name.startsWith('client.'))) continue;
    if (role === 'assistant' && agentId !== undefined && replyToMessageId?.startsWith('msg_') === true)
      turns.add(`turn_${replyToMessageId.slice(4)}.${agentId}`);
  }
  return [...turns];
}

const WIDEST_BAR = 30;

export function showTimeline(context: CommandContext, timeline: Timeline, now = Date.now()): void {
  const { turnId, agentId, startedAt, endedAt, inputTokens, outputTokens, spans } = timeline;
  const start = Date.parse(startedAt);
  const end = endedAt === undefined ? now : Date.parse(endedAt);
  const total = Math.max(1, end - start);
  const columns = context.columns() ?? 100;
  const tokens = inputTokens + outputTokens === 0 ? '' : results.turnTokens(timeline);
  context.say(`${plainLine(agentId)}  ${durationText(total)}${tokens}  ${context.paint.dim(plainLine(turnId))}`);
  for (const { kind, label, startedAt: from, endedAt: to, outcome, who, signers } of spans) {
    const begins = Date.parse(from) - start;
    const took = (to === undefined ? now : Date.parse(to)) - Date.parse(from);
    const before = Math.min(WIDEST_BAR - 1, Math.max(0, Math.floor((begins / total) * WIDEST_BAR)));
    const length = Math.min(WIDEST_BAR - before, Math.max(1, Math.round((took / total) * WIDEST_BAR)));
    const bar = padTo(' '.repeat(before) + '▇'.repeat(length), WIDEST_BAR);
    const what = kind === 'waiting' ? results.waitingFor(label) : label;
    const words = `${padTo(kind === 'waiting' ? '⏳' : kind === 'tool' ? '●' : '○', 2)} ${padTo(durationText(took), 8)} ${what}${outcome === undefined ? '' : ` · ${outcome}${byText({ by: who, signers })}`}`;
    context.say(`  ${bar}  ${cutTo(plainLine(words), Math.max(10, columns - WIDEST_BAR - 5))}`);
  }
}
