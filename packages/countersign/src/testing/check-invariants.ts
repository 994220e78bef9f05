import fc from 'fast-check';
import { prelude, settings } from './lab-arbitraries.js';
import { finish, perform, type Command } from './lab-commands.js';
import { findViolations } from './lab-invariants.js';
import { readRecord } from './lab-record.js';
import { closeLab, isWornOut, openBench, openLab, sqliteGround, type Bench, type LabSettings } from './lab.js';

const USED_UP = 1_000_000;

interface Size {
  runs: number;
  longest: number;
  /** No further run starts after this time. */
  limitMs?: number;
}

/**
 * Runs random commands against separate chats, lets everything finish, and rejects with all violated invariants. Returns the number of runs.
 */
export async function checkInvariants(
  commands: fc.WeightedArbitrary<Command>[],
  { runs, longest, limitMs }: Size,
  ground = sqliteGround,
  worlds = settings,
): Promise<number> {
  const benches = new Map<string, Bench>();
  let done = 0;

  async function benchFor(limits: LabSettings): Promise<Bench> {
    const key = JSON.stringify(limits);
    const known = benches.get(key);
    if (known !== undefined && !(await isWornOut(known))) return known;
    // Remove it from the list first: otherwise, another search that ends in the meantime would close it again.
    benches.delete(key);
    if (known !== undefined) await giveUp(known);
    const bench = await openBench(limits, ground);
    benches.set(key, bench);
    return bench;
  }

  const lists = fc.array(fc.oneof(...commands), { maxLength: longest });
  const property = fc.asyncProperty(worlds, prelude, lists, fc.boolean(), async (limits, first, list, approve) => {
    const lab = await openLab(await benchFor(limits));
    // Treat the bench as used up until this run is known to have left nothing behind.
    lab.bench.uses += USED_UP;
    try {
      await perform(lab, { do: 'send', chat: 0, to: 'ada', again: false, ticks: 'all' });
      for (const command of [...first, ...list]) await perform(lab, command);
      await finish(lab, (at) => (at % 2 === 0) === approve);
      const broken = findViolations(lab, await readRecord(lab));
      if (broken.length > 0) throw new Error(broken.join('\n'));
      lab.bench.uses -= USED_UP;
    } finally {
      await closeLab(lab);
    }
    done += 1;
  });
  const limit = limitMs === undefined ? {} : { interruptAfterTimeLimit: limitMs, markInterruptAsFailure: false };
  await fc.assert(property, { numRuns: runs, ...limit });
  for (const bench of benches.values()) await giveUp(bench);
  return done;
}

async function giveUp({ ground, store, worldId, uses }: Bench): Promise<void> {
  const verdict = await store.verifyAudit(worldId);
  await ground.close(store);
  if (uses < USED_UP && !verdict.ok) throw new Error(`[LOG1] ${JSON.stringify(verdict)}`);
}
