/** Polls a condition; fails with a description of it. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string | Promise<string>),
  ms = 30_000,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new Error(`waited in vain until ${typeof what === 'string' ? what : await what()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
