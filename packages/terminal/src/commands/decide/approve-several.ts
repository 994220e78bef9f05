import {
  callLine,
  effectText,
  needsPasskey,
  readAll,
  readerIn,
  viewOfApproval,
  yourPart,
  type Client,
} from '@countersign/client';
import type { DecisionResult, Me, WaitingCall } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { findThing, findWorlds } from '../../find-things.js';
import { confirm } from '../../input/confirm.js';
import { plainLine } from '../../text/plain-text.js';
import { table } from '../../text/table.js';
import { cardWords } from '../../words/cards.js';
import { errors } from '../../words/errors.js';

interface Choice {
  readonly ids: readonly string[];
  readonly world: string | undefined;
  readonly reason: string | undefined;
  /** All that wait for this person, instead of `ids`. */
  readonly isAll: boolean;
  readonly yes: boolean | undefined;
  readonly me: Me | undefined;
  /** Prints a call in full. */
  readonly show: (approval: WaitingCall) => void;
}

/** The server takes at most this many at once. */
const AT_ONCE = 200;

/**
 * Approves several calls once. Shows each of them in full and then a table, and sends only what was shown, with the hashes that were shown. Needs a
 * running server: the calls may be in many chats, and our own server would stop them when it ends.
 */
export async function approveSeveral(context: CommandContext, client: Client, choice: Choice): Promise<number> {
  const { isAll, me } = choice;
  if (isAll && !context.isPerson) throw new CommandError(errors.allNeedsTerminal);
  if ((await context.ownServer()) !== undefined) throw new CommandError(errors.severalNeedServer);
  const chosen = choose(await waitingIn(client, choice.world), choice);
  const leftOut = chosen.flatMap((call) => {
    const why = whyLeftOut(call, me);
    return why === undefined ? [] : [{ approvalId: call.approvalId, why }];
  });
  const calls = chosen.filter((call) => whyLeftOut(call, me) === undefined);
  if (!context.options.json) {
    for (const call of calls) choice.show(call);
    if (calls.length > 0) context.say(`\n${table(calls, COLUMNS, context.columns())}`);
    for (const { approvalId, why } of leftOut) context.note(cardWords.leftOut(approvalId, why));
  }
  if (calls.length === 0) throw new CommandError(errors.noneToApprove, EXIT.failed);
  const what = cardWords.approvingSeveral(calls.length);
  await confirm(context, { yes: isAll ? undefined : choice.yes, what, word: 'approve' });
  const results = await send(client, calls, choice.reason);
  if (context.options.json) context.json({ items: results, leftOut });
  else context.say(table(results, RESULTS, undefined));
  return results.every(({ status }) => status === 200) ? EXIT.ok : EXIT.failed;
}

async function waitingIn(client: Client, world: string | undefined): Promise<WaitingCall[]> {
  const all = await readAll((page) => client.waiting({ limit: 1000, ...page }));
  if (world === undefined) return all;
  const [only] = await findWorlds(client, world);
  return all.filter(({ worldId }) => worldId === only?.id);
}

function choose(waiting: readonly WaitingCall[], { isAll, ids, me }: Choice): WaitingCall[] {
  if (isAll) return waiting.filter((call) => partOf(call, me) === 'decide');
  const things = waiting.map((call) => ({ id: call.approvalId, call }));
  const hint = things.length === 0 ? { hint: cardWords.noneWaiting } : {};
  return [...new Set(ids.map((id) => findThing(things, id, { what: 'approval', ...hint }).call))];
}

function whyLeftOut(call: WaitingCall, me: Me | undefined): string | undefined {
  if (call.question !== undefined) return cardWords.isQuestion;
  if (needsPasskey(call.needs)) return cardWords.needsPasskey;
  const part = partOf(call, me);
  if (part === 'decide' || part === 'unknown') return undefined;
  return part === 'signed' ? cardWords.youSigned : cardWords.forOthers;
}

const partOf = (call: WaitingCall, me: Me | undefined): ReturnType<typeof yourPart> =>
  yourPart(call, me === undefined ? undefined : readerIn(me, call.worldId));

async function send(
  client: Client,
  calls: readonly WaitingCall[],
  reason: string | undefined,
): Promise<readonly DecisionResult[]> {
  const results: DecisionResult[] = [];
  for (let start = 0; start < calls.length; start += AT_ONCE) {
    const part = calls.slice(start, start + AT_ONCE).map(({ worldId, approvalId, callHash }) => ({
      ...{ worldId, tool_call_id: approvalId, decision: 'approve' as const, callHash },
      ...(reason === undefined ? {} : { reason }),
    }));
    results.push(...(await client.decideSeveral(part)));
  }
  return results;
}

const COLUMNS = [
  { title: 'id', of: ({ approvalId }: WaitingCall) => approvalId },
  { title: 'world', of: ({ worldId }: WaitingCall) => worldId },
  { title: 'agent', of: ({ agentName }: WaitingCall) => agentName },
  { title: 'effect', of: (call: WaitingCall) => effectText(viewOfApproval(call))?.sentence ?? '' },
  { title: 'what', of: ({ toolName, arguments: args }: WaitingCall) => callLine(toolName, args) },
];

const RESULTS = [
  { title: 'id', of: ({ tool_call_id }: DecisionResult) => tool_call_id },
  { title: 'result', of: (result: DecisionResult) => resultText(result) },
];

function resultText({ status, state, kind, detail = '' }: DecisionResult): string {
  if (status !== 200) return cardWords.notDecided(plainLine(detail));
  if (state === 'asked') return cardWords.signedElsewhere;
  return kind === 'repeated' ? cardWords.approvedBefore : cardWords.approved(cardWords.scope.once);
}
