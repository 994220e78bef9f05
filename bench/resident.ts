/** Resident memory in MiB, after a garbage collection if Node allows it (`--expose-gc`). */
export function residentMiB(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
}
