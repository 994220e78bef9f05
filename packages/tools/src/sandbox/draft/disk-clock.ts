import { chmod, lstat, writeFile } from 'node:fs/promises';

/** A moment by the clock that the kernel stamps files with. */
export interface DiskMoment {
  readonly ns: bigint;
  /** Before and after that moment by a clock that nobody can set: on a busy machine they are far apart. */
  readonly steadyNs: { readonly before: bigint; readonly after: bigint };
}

/** The kernel's clock for files moves in ticks of up to 10 ms. On a disk with coarser ticks we stop waiting. */
const MOST_TRIES = 500;

/** What changed before this call has an earlier change time; what changes after it has this one or a later one. Writes `file`. */
export async function readDiskClock(file: string): Promise<DiskMoment> {
  await writeFile(file, '', { mode: 0o600 });
  const first = await changeTime(file);
  let ns = first;
  let before = process.hrtime.bigint();
  for (let tries = 0; ns <= first && tries < MOST_TRIES; tries += 1) {
    before = process.hrtime.bigint();
    await chmod(file, 0o600);
    ns = await changeTime(file);
  }
  return { ns, steadyNs: { before, after: process.hrtime.bigint() } };
}

const SECOND = 1_000_000_000n;

/** Whether a change time is this moment or later. Whole seconds come from a disk that knows no finer, or only every other one. */
export function isSince(changedNs: bigint, { ns }: DiskMoment): boolean {
  return changedNs >= (changedNs % SECOND === 0n ? ns - (ns % (2n * SECOND)) : ns);
}

const MOST_DRIFT_NS = 100_000_000n;

/** Whether the machine's clock was set back between two moments: then change times tell nothing. */
export function wentBack(from: DiskMoment, to: DiskMoment): boolean {
  return to.ns - from.ns < to.steadyNs.before - from.steadyNs.after - MOST_DRIFT_NS;
}

async function changeTime(file: string): Promise<bigint> {
  return (await lstat(file, { bigint: true })).ctimeNs;
}
