import type { Engine } from '@countersign/core';

const engines = new WeakMap<object, Engine>();

/** Keeps the engine out of the public handles. */
export function rememberEngine(handle: object, engine: Engine): void {
  engines.set(handle, engine);
}

/** Undefined for an object that this library did not open. */
export function engineOf(handle: object): Engine | undefined {
  return engines.get(handle);
}

/** For a handle that is derived from another one. */
export function shareEngine(from: object, to: object): void {
  const engine = engines.get(from);
  if (engine !== undefined) engines.set(to, engine);
}
