/** How a group is made durable. */
interface Journal {
  /** What the group has written, in one piece. Throws if it can't be. */
  append: () => void;
  /** Resolves once all that was appended before is on the disk. Undefined: it is as soon as it is appended. */
  sync: (() => Promise<void>) | undefined;
  /** What was not appended must go; with `isUnsynced`, also what no sync was for. */
  undo: (isUnsynced: boolean) => void;
}

/** A step that waits to be kept. */
interface Waiting {
  kept: () => void;
  lost: (error: unknown) => void;
}

export interface GroupCommit {
  /** After a write. All that is written until the event loop comes round is kept together. */
  open(): void;
  /** Calls `kept` once what has been written so far is kept: in the order of the steps, and at once if nothing waits. */
  after(kept: () => void, lost: (error: unknown) => void): void;
  /** Resolves once what has been written so far is kept, and rejects if it can't be. */
  committed(): Promise<void>;
  /** Now. Never throws: a failure goes to those who wait. */
  flush(): void;
}

/**
 * Steps of one turn of the event loop are kept together: waiting for the disk costs more than all else that a step does. While the disk is
 * busy with one group, others are written, and the next sync is for all of them.
 */
export function createGroupCommit({ append, sync, undo }: Journal): GroupCommit {
  let group: Waiting[] | undefined;
  /** Appended, in order. The first `covered` of them are what the sync under way is for. */
  let appended: Waiting[] = [];
  let covered = 0;

  function lose(error: unknown, before: readonly Waiting[]): void {
    const members = [...before, ...(group ?? [])];
    group = undefined;
    undo(before.length > 0);
    for (const { lost } of members) lost(error);
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
  /** Removed before they are told, because a member may begin the next group. */
  function keep(count: number): void {
    const members = appended.splice(0, count);
    for (const { kept, lost } of members) tell(kept, lost);
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
  function after(kept: () => void, lost: (error: unknown) => void): void {
    const waiting = { kept, lost };
    if (group !== undefined) group.push(waiting);
    else if (appended.length === 0) tell(kept, lost);
    else {
      // It has seen nothing that the sync under way is not for.
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

/** What one member makes of its commit must not keep the others from hearing of it. */
function tell(kept: () => void, lost: (error: unknown) => void): void {
  try {
    kept();
  } catch (error) {
    lost(error);
  }
}
