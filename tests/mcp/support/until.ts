/** Polls a condition; fails with a description of it. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string | Promise<string>),
  ms = 30_000,
): Promise<void> {
  const deadline = Date.now() + ms;
  // Each look asks a store, and a server takes a second to start.
  for (let pause = 5; !(await holds()); pause = Math.min(2 * pause, 40)) {
    if (Date.now() > deadline)
      throw new Error(`waited in vain until ${typeof what === 'string' ? what : await what()}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
