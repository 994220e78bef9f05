import { join } from 'node:path';
import { measure, type Figures, type Plan } from './measure.js';
import { checkOurs, openBenchWorld, oursSubject, withFolder } from './ours.js';
import { CASES, type Case } from './script.js';

export const SYNCS = ['NORMAL', 'FULL'] as const;

export type TurnsResult = Record<Case, Record<(typeof SYNCS)[number], Figures>>;

/** The cost of a turn. `peers/` compares it with other frameworks (LIMIT1). */
export async function turnsSuite(plan: Plan): Promise<TurnsResult> {
  return await withFolder(async (folder) => {
    const result: Partial<TurnsResult> = {};
    for (const turn of CASES) {
      result[turn] = await measureCase(join(folder, turn.replaceAll(' ', '-')), turn, plan);
    }
    return result as TurnsResult;
  });
}

async function measureCase(prefix: string, turn: Case, plan: Plan): Promise<TurnsResult[Case]> {
  const normal = await openBenchWorld(`${prefix}-normal.sqlite`, { synchronous: 'NORMAL' });
  const full = await openBenchWorld(`${prefix}-full.sqlite`, { synchronous: 'FULL' });
  try {
    await checkOurs(normal, turn);
    const figures = await measure([oursSubject('NORMAL', normal, turn), oursSubject('FULL', full, turn)], plan);
    // A failing turn is fast, so check at the end that the turns were real.
    for (const world of [normal, full]) await checkOurs(world, turn);
    return Object.fromEntries(figures) as TurnsResult[Case];
  } finally {
    await normal.close();
    await full.close();
  }
}
