import type { Runtime } from '../step/runtime.js';

/**
 * Ends what providers keep for turns that have ended in another process or run there. A turn that waits for a person has no run to abort, and the hint
 * about its end may be lost.
 */
export async function endLostTurns(runtime: Runtime, owner: string): Promise<void> {
  // Read before their owners: otherwise, a turn that begins here in between would look lost.
  const open = runtime.providers.openTurns();
  if (open.length === 0) return;
  const turns = await runtime.store.read((reader) => Promise.all(open.map((turnId) => reader.turn(turnId))));
  for (const [index, turnId] of open.entries()) {
    const turn = turns[index];
    const isElsewhere = turn !== undefined && turn.owner !== null && turn.owner !== owner;
    if (turn === undefined || turn.state === 'ended' || isElsewhere) runtime.providers.endTurn(turnId);
  }
}
