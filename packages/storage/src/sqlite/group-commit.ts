/** A transaction as the group needs it. */
interface Transaction {
  begin(): void;
  commit(): void;
  /** After anything has failed. */
  undo(): void;
}

/** A step of the group that waits for the commit. */
interface Waiting {
  kept: () => void;
  lost: (error: unknown) => void;
}

export interface GroupCommit {
  /** Before a write. The transaction lasts until the event loop comes round, for all that write meanwhile. False: it was open already. */
  open(): boolean;
  /** Calls `kept` once what has been written so far is committed: in the order of the steps, and at once if nothing is open. */
  after(kept: () => void, lost: (error: unknown) => void): void;
  /** Resolves once what has been written so far is committed, at once if nothing is open, and rejects if it can't be. */
  committed(): Promise<void>;
  /** Now. Never throws: a failure goes to those who wait. */
  commit(): void;
  /** A write has failed, and with it all that the group has written. */
  fail(error: unknown): void;
}

/** Steps of one turn of the event loop share a transaction: waiting for the disk costs more than all else that a step does. */
export function createGroupCommit(transaction: Transaction): GroupCommit {
  let group: Waiting[] | undefined;

  /** Nobody waits for a group any more when its members hear of it: they may begin the next one. */
  function close(): Waiting[] {
    const members = group ?? [];
    group = undefined;
    return members;
  }
  function fail(error: unknown): void {
    const members = close();
    transaction.undo();
    for (const { lost } of members) lost(error);
  }
  function commit(): void {
    if (group === undefined) return;
    try {
      transaction.commit();
    } catch (error) {
      fail(error);
      return;
    }
    for (const { kept, lost } of close()) tell(kept, lost);
  }

  function after(kept: () => void, lost: (error: unknown) => void): void {
    if (group === undefined) tell(kept, lost);
    else group.push({ kept, lost });
  }

  return {
    open() {
      if (group !== undefined) return false;
      transaction.begin();
      group = [];
      setImmediate(commit);
      return true;
    },
    after,
    committed: () => new Promise(after),
    commit,
    fail,
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
