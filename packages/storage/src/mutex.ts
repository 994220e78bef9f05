/** Runs one piece of work after another, in the order they came. No timer: a step must not wait for the event loop to come round. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // Whoever asked for the work hears of its failure; the next in line starts all the same.
    last = done.catch(ignore);
    return done;
  };
}

function ignore(): void {}
