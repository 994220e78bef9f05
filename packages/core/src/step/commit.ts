import { CountersignError } from '@countersign/protocol';
import { dropRehearsal } from './drop-rehearsal.js';
import type { Fact } from '../facts/fact.js';
import { StepTransaction } from '../facts/step-transaction.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { StepNeeds, StepReads, StepWrites, StoredEvent, AgentRecord, ChatRecord } from '../ports/index.js';
import type { CallChats, CommitHooks, Runtime, Step, WorldChange } from './runtime.js';

/**
 * Persists, then publishes (STORE1): `decide` is one step, and listeners get its events only after the commit. `decide` is synchronous, reads only
 * data in `needs`, and may be called again. Throws `not-found` if the world no longer exists.
 */
export async function commit<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  needs: StepNeeds,
  decide: (step: Step) => T,
): Promise<T> {
  runtime.probe(`before ${name}`);
  return await runStep(runtime, name, worldId, needs, decide);
}

async function runStep<T>(
  runtime: Runtime,
  name: string | undefined,
  worldId: string,
  needs: StepNeeds,
  decide: (step: Step) => T,
): Promise<T> {
  let hooks = createHooks();
  const decideNow = (reads: StepReads): { value: T; writes: StepWrites } => {
    // This is a retry after a concurrent step committed first: undo the previous attempt.
    hooks.rolledBack();
    hooks = createHooks();
    const { afterCommit, afterRollback } = hooks;
    // The cached memory of this chat lacks what another process wrote.
    for (const id of needs.chats) if (reads.wroteElsewhere(id)) runtime.caches.memory.forgetChat(id);
    const snapshot = snapshotAt(runtime, worldId, reads);
    const tx = new StepTransaction(worldId, needs, reads, (id) => snapshot.agentName(id));
    const value = decide({ tx, snapshot, afterCommit, afterRollback });
    tx.noteActivity();
    const writes = tx.writes();
    for (const row of writes.changes) {
      runtime.caches.memory.apply(row);
      runtime.caches.callChats.note(row);
    }
    for (const fact of tx.facts) followUp(runtime, tx, fact, afterCommit);
    if (writes.changes.length > 0)
      afterRollback(() => needs.chats.forEach((id) => runtime.caches.memory.forgetChat(id)));
    // Another reader may have cached the world as of this step, and the next change gets the same `rev`.
    if (tx.facts.some(changesWorld)) afterRollback(() => runtime.caches.snapshots.forget(worldId));
    return { value, writes };
  };
  for (let left = MAX_TRIES; ; left -= 1) {
    try {
      const { value } = await runtime.store.step(worldId, needs, decideNow, (events) =>
        publishCommitted(runtime, name, hooks, events),
      );
      return value;
    } catch (error) {
      hooks.rolledBack();
      if (!(error instanceof OldSnapshot) || left === 0) throw error;
      await runtime.store.read((reader) => runtime.caches.snapshots.read(reader, worldId));
    }
  }
}

/** Facts that change which calls wait for a person, or for whom. */
const CHANGE_WAITING: ReadonlySet<Fact['kind']> = new Set([
  'approval-requested',
  'approval-signed',
  'approval-decided',
  'chat-deleted',
  'world-deleted',
]);

/** Follow-up work after a fact is committed, besides the turns that its command wakes. */
function followUp(runtime: Runtime, tx: StepTransaction, fact: Fact, afterCommit: CommitHooks['afterCommit']): void {
  const { worldId } = tx;
  if (CHANGE_WAITING.has(fact.kind)) afterCommit(() => runtime.background.onWaiting(worldId));
  if (fact.kind === 'turn-ended') {
    const { turnId, outcome, by } = fact;
    // A turn with these outcomes never started.
    if (outcome === 'silent' || outcome === 'handed-over') return;
    afterCommit(() => {
      if (outcome === 'stopped') runtime.dispatch.abort(turnId, 'stopped', by);
      runtime.providers.endTurn(turnId);
      runtime.measure({ kind: 'turn', worldId, turnId, outcome });
    });
  }
  if (fact.kind === 'call-settled') {
    const { callId, toolName } = fact;
    const tool = runtime.tools(worldId).get(toolName);
    if (tool?.claims?.rehearsals !== undefined) afterCommit(() => dropRehearsal(runtime, tool, callId));
    if (tool?.external === true) afterCommit(() => runtime.background.external.forget(callId));
    afterCommit(() => runtime.background.onCallEnded(callId));
  }
  if (fact.kind === 'approval-requested' && fact.expiresAt !== null) {
    const { approvalId, expiresAt } = fact;
    afterCommit(() => runtime.background.watchDeadline(worldId, approvalId, expiresAt));
  }
  if (fact.kind === 'approval-decided' && fact.approved !== undefined) {
    const call = tx.invocation(fact.callId);
    if (call?.runBy === 'program') afterCommit(() => void runtime.background.external.watch(call));
  }
  if (fact.kind === 'activity-changed' && fact.status === 'idle') {
    afterCommit(() => runtime.background.onChatIdle(worldId, fact.chatId));
  }
}

/** Reads like a step, and writes nothing. */
export async function readState<T>(
  runtime: Runtime,
  worldId: string,
  needs: StepNeeds,
  read: (step: Pick<Step, 'tx' | 'snapshot'>) => T,
): Promise<T> {
  return await runStep(runtime, undefined, worldId, { ...needs, isReadOnly: true }, read);
}

/** The current snapshot of a world; with `recent`, the last known one. Undefined if the world doesn't exist. */
export async function readSnapshot(
  runtime: Runtime,
  worldId: string,
  { recent = false } = {},
): Promise<WorldSnapshot | undefined> {
  return await ignoreNotFound(readState(runtime, worldId, { chats: [], recent }, ({ snapshot }) => snapshot));
}

/** Resolves to undefined if the work fails with `not-found`. */
export async function ignoreNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** Like `commit`, for a change to a world in a transaction. */
export async function changeWorld<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  work: (change: WorldChange) => Promise<T>,
): Promise<T> {
  return await retryStale(() => changeOnce(runtime, name, worldId, work));
}

async function changeOnce<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  work: (change: WorldChange) => Promise<T>,
): Promise<T> {
  const hooks = createHooks();
  runtime.probe(`before ${name}`);
  try {
    const { value } = await runtime.store.transact(
      worldId,
      async (tx) => {
        const snapshot = await runtime.caches.snapshots.read(tx, worldId);
        if (snapshot === undefined) throw noWorld(worldId);
        return await work({ tx, snapshot, afterCommit: hooks.afterCommit, afterRollback: hooks.afterRollback });
      },
      (events) => publishCommitted(runtime, name, hooks, events),
    );
    return value;
  } catch (error) {
    hooks.rolledBack();
    throw error;
  }
}

/** Thrown if the world has changed since it was last read here. */
class OldSnapshot extends CountersignError {}

/** Thrown from a step if an earlier read is stale. The step is rolled back. */
class StaleRead extends CountersignError {}

/** Each retry means that a concurrent step committed first. */
const MAX_TRIES = 20;

/** Aborts the step because an earlier read is stale. Only inside `retryStale`. */
export function retry(): never {
  throw new StaleRead('store-unavailable', BUSY);
}

/** For an update that must match the row as it was read. Throws if another process has changed it. */
export function mustHaveChanged(changed: boolean): void {
  if (!changed) retry();
}

const BUSY = 'Another change was made at the same time. Try again.';

/** Runs the work, and retries it if a step finds that an earlier read is stale. */
export async function retryStale<T>(work: () => Promise<T>): Promise<T> {
  for (let left = MAX_TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleRead) || left === 0) throw error;
    }
  }
}

function changesWorld({ kind }: Fact): boolean {
  return kind === 'rules-added' || kind === 'agent-added' || kind === 'agent-removed' || kind === 'world-deleted';
}

function snapshotAt({ caches: { snapshots } }: Runtime, worldId: string, { worldRev, now }: StepReads): WorldSnapshot {
  if (worldRev === undefined) throw noWorld(worldId);
  const snapshot = snapshots.at(worldId, worldRev, now);
  if (snapshot === undefined) throw new OldSnapshot('store-unavailable', BUSY);
  return snapshot;
}

function publishCommitted(
  runtime: Runtime,
  name: string | undefined,
  hooks: ReturnType<typeof createHooks>,
  events: readonly StoredEvent[],
): void {
  hooks.keep();
  if (name !== undefined) runtime.probe(`after ${name}`);
  for (const event of events) publish(runtime, event);
  hooks.act();
}

function createHooks(): CommitHooks & { keep(): void; act(): void; rolledBack(): void } {
  const acts: (() => void)[] = [];
  let undo: (() => void)[] = [];
  return {
    afterCommit: (act) => void acts.push(act),
    afterRollback: (act) => void undo.push(act),
    /** After this call, a failure no longer undoes anything. */
    keep() {
      undo = [];
    },
    act() {
      for (const act of acts) act();
    },
    rolledBack() {
      for (const act of undo) act();
      undo = [];
    },
  };
}

/** A listener that throws must not prevent the wake-ups of a committed step. */
function publish(runtime: Runtime, event: StoredEvent): void {
  try {
    runtime.bus.publish(event);
  } catch (error) {
    runtime.report(error, `${event.event} ${event.id} could not be published`);
  }
}

/** Also throws `not-found` for a chat in another world, so that its existence isn't revealed. */
export function chatIn(chat: ChatRecord | undefined, worldId: string, chatId: string): ChatRecord {
  if (chat?.worldId === worldId) return chat;
  throw new CountersignError('not-found', `there is no chat "${chatId}" in this world`);
}

/** `field`: the request field that names the agent. */
export function agentIn(snapshot: WorldSnapshot, agentId: string, field?: string): AgentRecord {
  const agent = snapshot.agent(agentId);
  if (agent !== undefined) return agent;
  const where = field === undefined ? {} : { field };
  throw new CountersignError('not-found', `there is no agent "${agentId}" in this world`, where);
}

export function noWorld(worldId: string): CountersignError {
  return new CountersignError('not-found', `there is no world "${worldId}"`);
}

const MAX_CALL_CHATS = 10_000;

export function createCallChats(): CallChats {
  const chats = new Map<string, string>();
  return {
    get: (id) => chats.get(id),
    note(row) {
      if (row.kind === 'call-proposed') chats.set(row.call.id, row.call.chatId);
      else if (row.kind === 'approval-requested') chats.set(row.approval.id, row.approval.chatId);
      else return;
      if (chats.size > MAX_CALL_CHATS) for (const oldest of chats.keys()) return void chats.delete(oldest);
    },
  };
}
