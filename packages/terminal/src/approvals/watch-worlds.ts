import {
  agentName,
  get,
  isForYou,
  openWorldView,
  pendingApprovals,
  type ApprovalView,
  type Client,
  type WorldStore,
} from '@countersign/client';
import type { World } from '@countersign/protocol';
import { callsForYou, type Alerts } from '../alerts/alerts.js';
import { createChanges } from '../chat/changes.js';
import { readSlashCommand, type SlashCommand } from '../chat/slash-commands.js';
import { slashHelp } from '../chat/slash-help.js';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { openKeyboard, type Keyboard } from '../input/keyboard.js';
import { plainLine } from '../text/plain-text.js';
import { columnsOf } from './approval-prompt.js';
import { askWhileWaiting, firstOf } from './ask-while-waiting.js';
import { describeDecision } from './describe-decision.js';
import { cardWords } from '../words/cards.js';
import { chatWords } from '../words/chat.js';
import { errors } from '../words/errors.js';
import { WATCH_NOTES } from '../words/help-chat.js';

interface Watched {
  readonly world: World;
  readonly store: WorldStore;
}

interface Waiting extends Watched {
  readonly approval: ApprovalView;
}

const LOOK_AGAIN_MS = 60_000;

/**
 * Asks about waiting calls in these worlds, one at a time, until the person leaves. Meant for a second terminal. Without a terminal, it only
 * lists calls.
 */
export async function watchWorlds(
  context: CommandContext,
  client: Client,
  { worlds, alerts }: { worlds: readonly World[]; alerts: Alerts | undefined },
): Promise<number> {
  const changes = createChanges();
  const watched: Watched[] = [];
  for (const world of worlds) {
    if (context.isPerson) await client.registerClient(world.id, { label: 'terminal', approvals: true });
    const store = openWorldView(client, world.id);
    watched.push({ world, store });
    store.subscribe(() => {
      changes.tell();
      alerts?.show(watched.flatMap(({ store }) => callsForYou(store.getState())));
    });
  }
  const keyboard = context.isPerson ? openKeyboard(context.console) : undefined;
  try {
    return keyboard === undefined
      ? await tell(context, watched, changes)
      : await ask(context, client, watched, keyboard, changes);
  } finally {
    alerts?.close();
    keyboard?.close();
    for (const { store } of watched) store.close();
  }
}

type Changes = ReturnType<typeof createChanges>;

function waitingIn(watched: readonly Watched[]): Waiting[] {
  return watched
    .flatMap(({ world, store }) => pendingApprovals(store.getState()).map((approval) => ({ world, store, approval })))
    .toSorted((a, b) => (a.approval.requestedAt < b.approval.requestedAt ? -1 : 1));
}

/** Cursors for the next page of each queue that isn't fully loaded. */
function laterIn(watched: readonly Watched[]): string[] {
  return watched.flatMap(({ store }) => store.getState().laterApprovals ?? []);
}

/** Loads the next page of each queue. Returns false if there are no more pages or loading failed. */
async function loadMore(watched: readonly Watched[]): Promise<boolean> {
  const before = laterIn(watched).join();
  if (before === '') return false;
  await Promise.all(watched.map(({ store }) => store.loadLaterApprovals()));
  return laterIn(watched).join() !== before;
}

function refuseClosed(watched: readonly Watched[]): void {
  for (const { store, world } of watched) {
    const { loading, connection, deleted } = store.getState();
    if (deleted) throw new CommandError(errors.worldDeleted(world.id), EXIT.failed);
    if (loading.kind === 'failed') throw new CommandError(loading.why, EXIT.failed);
    if (connection.kind === 'closed') throw new CommandError(connection.why ?? errors.serverClosed, EXIT.failed);
  }
}

async function ask(
  context: CommandContext,
  client: Client,
  watched: readonly Watched[],
  keyboard: Keyboard,
  changes: Changes,
): Promise<number> {
  const answered = new Set<string>();
  const later = new Set<string>();
  let isLeaving = false;
  let isIdleSaid = false;
  const say = (text: string): void => keyboard.print(`${text}\n`);
  function obey(command: SlashCommand | undefined): void {
    if (command?.kind === 'help') say(slashHelp('watch', WATCH_NOTES, columnsOf(context)));
    if (command?.kind === 'unknown') say(`· ${plainLine(command.hint)}`);
    if (command?.kind === 'quit') isLeaving = true;
    if (command?.kind !== 'approvals') return;
    isIdleSaid = false;
    later.clear();
  }
  keyboard.onLoose((typed) => {
    if (typed.kind === 'line') obey(readSlashCommand(typed.text, 'watch'));
    else isLeaving = true;
    changes.tell();
  });
  for (;;) {
    const seen = changes.count();
    refuseClosed(watched);
    const open = waitingIn(watched).filter(
      ({ approval, store }) => !answered.has(approval.approvalId) && isForYou(approval, store.getState().me),
    );
    if (open.every(({ approval }) => later.has(approval.approvalId))) {
      if (await loadMore(watched)) continue;
      later.clear();
    }
    const asked = firstOf(open.map(({ approval }) => approval).filter(({ approvalId }) => !later.has(approvalId)));
    const next = open.find(({ approval }) => approval === asked);
    if (isLeaving || keyboard.hasEnded()) return EXIT.ok;
    if (next === undefined) {
      if (!isIdleSaid) keyboard.print(`${cardWords.watchIdle}\n`);
      isIdleSaid = true;
      await changes.after(seen, LOOK_AGAIN_MS);
      continue;
    }
    isIdleSaid = false;
    const more = laterIn(watched).length > 0;
    const place = { position: open.indexOf(next) + 1, total: open.length, more };
    if ((await putBefore(context, client, keyboard, next, place, { answered, later })) === 'left') {
      keyboard.print(`· ${chatWords.left(`${open.length}${more ? '+' : ''}`, undefined)}\n`);
      return EXIT.ok;
    }
  }
}

async function putBefore(
  context: CommandContext,
  client: Client,
  keyboard: Keyboard,
  { world, store, approval }: Waiting,
  place: { position: number; total: number; more: boolean },
  { answered, later }: { answered: Set<string>; later: Set<string> },
): Promise<'handled' | 'left'> {
  const prompt = { context, client, world: world.id, keyboard };
  const asked = await askWhileWaiting(prompt, store, approval, { place, world: world.name });
  if (asked.kind === 'left') return 'left';
  if (asked.kind === 'later') later.add(approval.approvalId);
  else if (asked.kind !== 'lost') answered.add(approval.approvalId);
  return 'handled';
}

/** Without a terminal: prints a line for each new call and each decision. */
async function tell(context: CommandContext, watched: readonly Watched[], changes: Changes): Promise<number> {
  const told = new Map<string, Waiting>();
  for (;;) {
    const seen = changes.count();
    refuseClosed(watched);
    const waiting = waitingIn(watched);
    for (const each of waiting) {
      const { approval, world, store } = each;
      if (told.has(approval.approvalId)) continue;
      told.set(approval.approvalId, each);
      const name = agentName(store.getState(), approval.agentId);
      if (context.options.json) context.jsonLine({ type: 'waiting', world: world.id, ...approval });
      else
        context.say(
          `waiting  ${world.id}  ${plainLine(name)} · ${plainLine(approval.toolName)}  ${approval.approvalId}`,
        );
    }
    for (const [id, { store, world }] of told) {
      const decision = get(store.getState().approvals, id)?.decision;
      if (store.getState().queue.includes(id)) continue;
      told.delete(id);
      if (context.options.json) context.jsonLine({ type: 'answered', world: world.id, approvalId: id, decision });
      else context.say(`answered ${world.id}  ${id}  ${decision === undefined ? '' : describeDecision(decision)}`);
    }
    // A list shows all calls. Nobody decides here, so nothing else would load the rest.
    if (!(await loadMore(watched))) await changes.after(seen, LOOK_AGAIN_MS);
  }
}
