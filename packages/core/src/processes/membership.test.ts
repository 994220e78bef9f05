import { expect, it } from 'vitest';
import { SILENT_MS } from '../turns/take-over.js';
import { BEAT_MS, FRESH_MS, ROUND_MS } from './membership.js';

it('[S4] the times of a process let another go on within ten seconds, and never both at once', () => {
  // The last word of one that died, the silence after it, and the round in which another looks: with two seconds left for the work.
  expect(SILENT_MS + ROUND_MS).toBeLessThanOrEqual(8_000);
  // It has stopped beginning anything before it counts as dead, and one word that is lost is no death.
  expect(FRESH_MS).toBeLessThan(SILENT_MS);
  expect(FRESH_MS).toBeGreaterThan(2 * BEAT_MS);
});
