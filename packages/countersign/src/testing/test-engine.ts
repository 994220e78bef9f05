import { createRuntime, type Engine, type RuntimeOptions } from '@countersign/core';
import { createFakeClock, scripted } from '@countersign/core/testing';
import type { Signer } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { obedient } from './obedient.js';

/** Who acts in a test that is not about who acts. */
export const person: Signer = { who: 'meg', client: 'test' };

/**
 * An engine without the facade around it, for what only shows there: two worlds on one store, a store that is watched, rows that
 * are made anew. Whatever it reports ends the test.
 */
export async function createTestEngine(options: Partial<RuntimeOptions> = {}): Promise<Engine> {
  const clock = options.clock ?? createFakeClock();
  return createRuntime({
    store: options.store ?? (await openSqlite(':memory:', { clock })),
    clock,
    providers: [scripted(obedient)],
    findPlace: () => ({ workingDirectory: '/', home: '/root' }),
    onError: fail,
    onListenerFailure: fail,
    ...options,
  });
}

function fail(error: unknown): never {
  throw error;
}
