import { join } from 'node:path';
import { measure, type Figures, type Plan } from './measure.js';
import { checkOurs, openBenchWorld, oursSubject, withFolder } from './ours.js';
import { checkRawLoop } from './raw-check.js';
import { openRawLoop, rawSubject } from './raw-loop.js';
import { CASES, type Case } from './script.js';

export const CONTENDERS = ['ours NORMAL', 'raw NORMAL', 'ours FULL', 'raw FULL'] as const;
type Contender = (typeof CONTENDERS)[number];

export type TurnsResult = Record<Case, Record<Contender, Figures>>;

/** What a turn costs, beside the bare commits it makes (N1). Beside the frameworks it is measured in `peers/`. */
export async function turnsSuite(plan: Plan): Promise<TurnsResult> {
  return await withFolder(async (folder) => {
    const result: Partial<TurnsResult> = {};
    for (const turn of CASES) {
      await checkRawLoop(folder, turn);
      result[turn] = await measureCase(join(folder, turn.replaceAll(' ', '-')), turn, plan);
    }
    return result as TurnsResult;
  });
}

async function measureCase(prefix: string, turn: Case, plan: Plan): Promise<Record<Contender, Figures>> {
  const normal = await openBenchWorld(`${prefix}-normal.sqlite`, { synchronous: 'NORMAL' });
  const full = await openBenchWorld(`${prefix}-full.sqlite`, { synchronous: 'FULL' });
  const rawNormal = await openRawLoop(`${prefix}-raw-normal.sqlite`, 'NORMAL');
  const rawFull = await openRawLoop(`${prefix}-raw-full.sqlite`, 'FULL');
  try {
    await checkOurs(normal, turn);
    const figures = await measure(
      [
        oursSubject('ours NORMAL', normal, turn),
        rawSubject('raw NORMAL', rawNormal, turn),
        oursSubject('ours FULL', full, turn),
        rawSubject('raw FULL', rawFull, turn),
      ],
      plan,
    );
    // A turn that fails ends in words, and fast: what was measured must still be the real thing at the end.
    for (const world of [normal, full]) await checkOurs(world, turn);
    return Object.fromEntries(figures) as Record<Contender, Figures>;
  } finally {
    await normal.close();
    await full.close();
    rawNormal.close();
    rawFull.close();
  }
}
