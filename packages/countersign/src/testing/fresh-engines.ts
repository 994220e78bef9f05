import type { Engine } from '@countersign/core';
import { afterEach } from 'vitest';

/** Engines that are closed after each test. */
export function freshEngines(): Set<Engine> {
  const engines = new Set<Engine>();
  afterEach(async () => {
    await Promise.all([...engines].map((engine) => engine.close()));
    engines.clear();
  });
  return engines;
}
