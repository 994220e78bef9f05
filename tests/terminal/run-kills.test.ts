import { describe, expect, it } from 'vitest';
import { isFullSize } from '../support/scaled.js';
import { canRun, openRunGround } from './run-ground.js';
import { COMMAND, killSome, PHASES, VICTIMS } from './run-lab.js';

/** Kills of each victim. They happen to several runs at once. */
const KILLS = isFullSize ? Number(process.env['RUN_KILLS'] ?? 100) : 1;
const AT_ONCE = Math.min(5, KILLS);
/** Each in turn; `npm test` has the last one only. */
const phaseOf = (kill: number): number => (isFullSize ? kill % PHASES.length : PHASES.length - 1);

describe.skipIf(!canRun)('[RUN19] [RUN3.3] a run that loses a process at a random moment', () => {
  it.each(isFullSize ? VICTIMS : (['server'] as const))(
    'leaves the folder as before or as signed (%s)',
    async (victim) => {
      const ground = await openRunGround();
      const same = { victim, count: AT_ONCE, phaseOf, delayMs: 400, words: ['--', ...COMMAND.split(' ')] };
      const seen: Record<string, number> = {};
      try {
        for (let from = 0; from < KILLS; from += AT_ONCE)
          for (const state of await killSome(ground, { ...same, from })) seen[state] = (seen[state] ?? 0) + 1;
      } finally {
        await ground.close();
      }
      expect(Object.values(seen).reduce((sum, count) => sum + count, 0)).toBe(KILLS);
      process.stdout.write(`${KILLS} kills of a run's ${victim}: ${JSON.stringify(seen)}\n`);
    },
    isFullSize ? 2 * 3_600_000 : 120_000,
  );
});
