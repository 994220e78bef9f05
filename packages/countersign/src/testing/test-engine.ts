import { createRuntime, type Engine, type RuntimeOptions } from '@countersign/core';
import { createFakeClock, scripted } from '@countersign/core/testing';
import type { Signer } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { obedient } from './obedient.js';

/** The signer in tests where it doesn't matter who acts. */
export const person: Signer = { who: { kind: 'person', id: 'meg', name: 'meg' }, via: 'test' };

/**
 * An engine without the facade, for tests of two worlds on one store, an instrumented store, or rewritten rows. Any
 * reported error fails the test.
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
