import { commit, type Runtime } from './runtime.js';

/**
 * Gives back what this process runs, in one transaction: a shutdown is limited in time, and two shutdowns that leave a turn behind
 * would end it (S3).
 */
export async function parkTurns(runtime: Runtime): Promise<void> {
  const turns = await runtime.store.read((reader) => reader.unfinishedTurns());
  const own = turns.filter(({ state, owner }) => state === 'open' && owner === runtime.owner);
  const [first] = own;
  if (first === undefined) return;
  await commit(runtime, 'park', first.worldId, async ({ tx }) => {
    await Promise.all(
      own.map(async (turn) => {
        // Others on the store take it up at once.
        if (await tx.stepTurn(turn, { owner: null })) await tx.wakeTurn(turn.id);
      }),
    );
  });
}
