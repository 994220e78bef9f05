/** Serializes work that shares a key, in order of arrival. */
export function createTurns(): <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>();
  return async (keys, work) => {
    const before = keys.map((key) => last.get(key)).filter((earlier) => earlier !== undefined);
    let done = (): void => undefined;
    const mine = new Promise<void>((resolve) => (done = resolve));
    for (const key of keys) last.set(key, mine);
    try {
      if (before.length > 0) await Promise.all(before);
      return await work();
    } finally {
      for (const key of keys) if (last.get(key) === mine) last.delete(key);
      done();
    }
  };
}
