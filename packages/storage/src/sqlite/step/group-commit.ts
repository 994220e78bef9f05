/** How a group is made durable. */
interface Journal {
  /** Appends the group's writes atomically. Throws on failure. */
  append: () => void;
  /** Resolves once everything appended is on disk. If undefined, appended writes are considered durable. */
  sync: (() => Promise<void>) | undefined;
  /** Discards writes that were not appended; with `isUnsynced`, also those that were not synced. */
  undo: (isUnsynced: boolean) => void;
}

/** A step that waits until it is durable. */
interface Waiting {
  onDurable: () => void;
  onFailed: (error: unknown) => void;
}

export interface GroupCommit {
  /** Called after a write. All writes until the next event loop turn form one group. */
  open(): void;
  /** Calls `onDurable` once everything written so far is durable, in order of the steps; immediately if nothing is pending. */
  after(onDurable: () => void, onFailed: (error: unknown) => void): void;
  /** Resolves once everything written so far is durable, and rejects on failure. */
  committed(): Promise<void>;
  /** Flushes now. Never throws: waiting steps get the error. */
  flush(): void;
}

/**
 * Group commit: the steps of one event loop turn share a write and a sync, because a sync costs more than the rest of a step. Groups that form
 * during a sync share the next one.
 */
export function createGroupCommit({ append, sync, undo }: Journal): GroupCommit {
  let group: Waiting[] | undefined;
  /** Appended steps, in order. The current sync covers the first `covered` of them. */
  let appended: Waiting[] = [];
  let covered = 0;

  function lose(error: unknown, before: readonly Waiting[]): void {
    const members = [...before, ...(group ?? [])];
    group = undefined;
    undo(before.length > 0);
    for (const { onFailed } of members) onFailed(error);
  }
  function flush(): void {
    if (group === undefined) return;
    try {
      append();
    } catch (error) {
      lose(error, []);
      return;
    }
    appended.push(...group);
    group = undefined;
    if (sync === undefined) keep(appended.length);
    else if (covered === 0) startSync(sync);
  }
  /** Removes steps before their callbacks run, because a callback may start the next group. */
  function keep(count: number): void {
    const members = appended.splice(0, count);
    for (const { onDurable, onFailed } of members) notify(onDurable, onFailed);
  }
  function startSync(run: () => Promise<void>): void {
    covered = appended.length;
    run().then(() => {
      const count = covered;
      covered = 0;
      keep(count);
      if (covered === 0 && appended.length > 0) startSync(run);
    }, failAll);
  }
  function failAll(error: unknown): void {
    const members = appended;
    appended = [];
    covered = 0;
    lose(error, members);
  }
  function after(onDurable: () => void, onFailed: (error: unknown) => void): void {
    const waiting = { onDurable, onFailed };
    if (group !== undefined) group.push(waiting);
    else if (appended.length === 0) notify(onDurable, onFailed);
    else {
      // This step has only seen what the current sync covers.
      if (covered === appended.length) covered += 1;
      appended.push(waiting);
    }
  }

  return {
    open() {
      if (group !== undefined) return;
      group = [];
      setImmediate(flush);
    },
    after,
    committed: () => new Promise(after),
    flush,
  };
}

/** An error in one callback must not prevent the others. */
function notify(onDurable: () => void, onFailed: (error: unknown) => void): void {
  try {
    onDurable();
  } catch (error) {
    onFailed(error);
  }
}
