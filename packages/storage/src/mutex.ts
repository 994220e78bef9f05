/** Runs work in order, one at a time. Doesn't use timers, so that a step doesn't wait for the event loop. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // The caller handles the failure; the next one in line starts anyway.
    last = done.catch(ignore);
    return done;
  };
}

function ignore(): void {}
