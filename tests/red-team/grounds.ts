import type { Sandbox } from '@countersign/tools';
import { sharedSandbox } from '../support/shared-sandbox.js';

/** The environment of the attempts: the store, and whether commands run in a sandbox. */
export interface Ground {
  store: 'sqlite' | 'postgres';
  sandbox: Sandbox;
}

/** With this system's sandbox, if it has one, and without. */
export async function groundsOn(store: Ground['store']): Promise<readonly Ground[]> {
  const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };
  const found = await sharedSandbox();
  return found.kind === 'none'
    ? [{ store, sandbox: none }]
    : [
        { store, sandbox: found },
        { store, sandbox: none },
      ];
}
