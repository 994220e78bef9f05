import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { scaled } from '../support/scaled.js';
import { createFarm } from './servers-fixture.js';
import { inTime, soak, type SoakPlan } from './soak-run.js';
import { unfinished } from './unfinished.js';

/** Short by default; `npm run soak` sets these for a long run. */
const plan: SoakPlan & { servers: number } = {
  turns: Number(process.env['SOAK_TURNS'] ?? scaled(12, 4)),
  chats: Number(process.env['SOAK_CHATS'] ?? scaled(6, 4)),
  servers: Number(process.env['SOAK_SERVERS'] ?? 2),
  killEveryMs: Number(process.env['SOAK_KILL_MS'] ?? 2_000),
  limitMs: Number(process.env['SOAK_LIMIT_MS'] ?? 300_000),
};

it(
  '[STORE4.1] [CALL8] [STORE3] servers are killed at random; every message is answered once, every tool runs at most once, and no turn is stuck',
  async () => {
    const url = await createPostgresDatabase();
    const farm = createFarm(url, plan.servers);
    try {
      // The clock of one of them is five minutes ahead.
      const starting = Array.from({ length: plan.servers }, (_, index) =>
        farm.start(index, index === 0 ? { clockShiftMs: 300_000 } : {}),
      );
      await inTime(Promise.all(starting), 120_000, 'the servers did not start');
      const report = await soak(farm, plan);
      process.stdout.write(`soak: ${JSON.stringify(report)}\n`);
      expect(report.turns).toBeGreaterThanOrEqual(plan.turns);
      expect(report.kills).toBeGreaterThan(0);
    } catch (error) {
      const left = await unfinished(url);
      throw new Error(`${String(error)}\nUnfinished: ${left}\nThe servers said: ${farm.errors()}`, { cause: error });
    } finally {
      await farm.close();
    }
  },
  plan.limitMs + 180_000,
);
