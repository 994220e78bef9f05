import { expect, it } from 'vitest';
import { SILENT_MS } from '../turns/take-over.js';
import { BEAT_MS, FRESH_MS, ROUND_MS } from './membership.js';

it('[STORE4.1] timeouts let another process take over within ten seconds, and never let both run', () => {
  // The last heartbeat, the silence after it and one round, which leaves two seconds for the work.
  expect(SILENT_MS + ROUND_MS).toBeLessThanOrEqual(8_000);
  // A process stops starting work before others consider it dead, and one lost heartbeat doesn't make it look dead.
  expect(FRESH_MS).toBeLessThan(SILENT_MS);
  expect(FRESH_MS).toBeGreaterThan(2 * BEAT_MS);
});
