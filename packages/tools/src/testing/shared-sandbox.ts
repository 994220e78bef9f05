import { findSandbox } from '../sandbox/find-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';

let found: Promise<Sandbox> | undefined;

/** This system's sandbox. Looking for it starts a dozen programs, so all test files of a worker share the answer. */
export function sharedSandbox(): Promise<Sandbox> {
  found ??= findSandbox();
  return found;
}
