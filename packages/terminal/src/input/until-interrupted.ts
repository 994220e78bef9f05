const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves at the first Ctrl-C or SIGTERM. The second one ends the process immediately. */
export function untilInterrupted(): { promise: Promise<'interrupted'>; end(): void } {
  let resolve: (what: 'interrupted') => void = () => undefined;
  const promise = new Promise<'interrupted'>((heard) => {
    resolve = heard;
  });
  const hear = (): void => {
    end();
    resolve('interrupted');
  };
  const end = (): void => {
    for (const signal of SIGNALS) process.off(signal, hear);
  };
  for (const signal of SIGNALS) process.once(signal, hear);
  return { promise, end };
}
