import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { buildServer, createFarm } from './servers-fixture.js';
import { soak, type SoakPlan } from './soak-run.js';

await buildServer();

/** A short one by itself; `npm run soak` sets these for a long one. */
const plan: SoakPlan & { servers: number } = {
  turns: Number(process.env['SOAK_TURNS'] ?? 60),
  chats: Number(process.env['SOAK_CHATS'] ?? 12),
  servers: Number(process.env['SOAK_SERVERS'] ?? 4),
  killEveryMs: Number(process.env['SOAK_KILL_MS'] ?? 1_000),
  limitMs: Number(process.env['SOAK_LIMIT_MS'] ?? 120_000),
};

it(
  '[S4] [A8] [S3] servers are killed at random, and every message is answered once, every tool runs at most once, no turn is stuck',
  async () => {
    const farm = createFarm(await createPostgresDatabase(), plan.servers);
    try {
      await Promise.all(Array.from({ length: plan.servers }, (_, index) => farm.start(index)));
      const report = await soak(farm, plan);
      process.stdout.write(`soak: ${JSON.stringify(report)}\n`);
      expect(report.turns).toBeGreaterThanOrEqual(plan.turns);
      expect(report.kills).toBeGreaterThan(0);
    } catch (error) {
      throw new Error(`${String(error)}\nThe servers said: ${farm.errors()}`, { cause: error });
    } finally {
      await farm.close();
    }
  },
  plan.limitMs + 60_000,
);
