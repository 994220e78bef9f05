import { chmod, lstat, writeFile } from 'node:fs/promises';

/** A time on the clock that the kernel uses for file timestamps. */
export interface DiskMoment {
  readonly ns: bigint;
  /** Monotonic times before and after that moment. On a busy machine, they can be far apart. */
  readonly steadyNs: { readonly before: bigint; readonly after: bigint };
}

/** File timestamps advance in ticks of up to 10 ms. On disks with coarser ticks, we stop waiting after this many attempts. */
const MAX_TRIES = 500;

/** Writes `file` to get the current time. Earlier changes have an earlier change time; later changes have the same or a later one. */
export async function readDiskClock(file: string): Promise<DiskMoment> {
  await writeFile(file, '', { mode: 0o600 });
  const first = await changeTime(file);
  let ns = first;
  let before = process.hrtime.bigint();
  for (let tries = 0; ns <= first && tries < MAX_TRIES; tries += 1) {
    before = process.hrtime.bigint();
    await chmod(file, 0o600);
    ns = await changeTime(file);
  }
  return { ns, steadyNs: { before, after: process.hrtime.bigint() } };
}

const SECOND = 1_000_000_000n;

/** Whether a change time is at this moment or later. Some disks store times in steps of one or two seconds. */
export function isSince(changedNs: bigint, { ns }: DiskMoment): boolean {
  return changedNs >= (changedNs % SECOND === 0n ? ns - (ns % (2n * SECOND)) : ns);
}

const MAX_DRIFT_NS = 100_000_000n;

/** Whether the system clock was set back between two moments. If so, change times can't be compared. */
export function wentBack(from: DiskMoment, to: DiskMoment): boolean {
  return to.ns - from.ns < to.steadyNs.before - from.steadyNs.after - MAX_DRIFT_NS;
}

async function changeTime(file: string): Promise<bigint> {
  return (await lstat(file, { bigint: true })).ctimeNs;
}
