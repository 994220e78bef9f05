/** Resident memory in MiB, after collecting garbage where Node was told to let us (`--expose-gc`). */
export function residentMiB(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
}
