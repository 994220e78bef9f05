import { openHome, sqliteGround, type Ground } from './home.js';
import { play, type Stage } from './play.js';
import { setUp } from './set-up.js';

/** Opening a home takes longer than a history, so this many use one. A home always begins at a multiple of it. */
const PER_HOME = 200;

export interface Failure {
  readonly seed: number;
  /** What was violated, and the steps that led to it. */
  readonly lines: readonly string[];
  /** A command that repeats it. */
  readonly repeat: string;
}

/** Plays the histories of these seeds, until one of them violates something. */
export async function runSeeds(
  first: number,
  count: number,
  ground: () => Promise<Ground> = sqliteGround,
): Promise<{ played: number; failure?: Failure }> {
  for (let seed = first; seed < first + count;) {
    const end = Math.min(first + count, (Math.floor(seed / PER_HOME) + 1) * PER_HOME);
    const failed = await runInOneHome(seed, end, ground);
    if (failed !== undefined)
      return { played: failed.seed - first + 1, failure: await describeFailure(failed, seed, ground) };
    seed = end;
  }
  return { played: count };
}

async function runInOneHome(
  first: number,
  end: number,
  ground: () => Promise<Ground>,
): Promise<Pick<Failure, 'seed' | 'lines'> | undefined> {
  const home = await openHome(await ground());
  try {
    const stage: Stage = { home, credentials: await setUp(home), chats: { harbour: [], dock: [] }, numbers: 0 };
    for (let seed = first; seed < end; seed += 1) {
      const lines = await play(stage, seed);
      if (lines.length > 0) return { seed, lines };
    }
    return undefined;
  } finally {
    await home.close();
  }
}

/** A seed usually fails alone as well. If not, those before it in the same home are part of the failure. */
async function describeFailure(
  { seed, lines }: Pick<Failure, 'seed' | 'lines'>,
  first: number,
  ground: () => Promise<Ground>,
): Promise<Failure> {
  const alone = await runInOneHome(seed, seed + 1, ground);
  const before = alone === undefined ? `HISTORY_SEED=${first} HISTORIES=${seed - first + 1}` : `HISTORY_SEED=${seed}`;
  return { seed, lines: alone?.lines ?? lines, repeat: `${before} npx vitest run tests/histories` };
}
