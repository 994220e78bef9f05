import { describe } from 'vitest';
import { describeAtomicity } from './step-contract/atomicity.js';
import { describeDeletion } from './step-contract/deletion.js';
import { describeFacts } from './step-contract/facts.js';
import { describeLogs } from './step-contract/logs.js';
import { describeReads } from './step-contract/reads.js';
import { describeSharing } from './step-contract/sharing.js';
import type { OpenStore } from './store-contract/under-test.js';

export {
  A,
  addChats,
  approval,
  C,
  chat,
  grant,
  HOSTILE,
  invocation,
  message,
  plant,
  turn,
  W,
} from './store-contract/samples.js';
export { stateOf, step } from './step-contract/support.js';
export { checkReplay } from './step-contract/replay.js';
export type { Play } from './step-contract/replay.js';

/**
 * The `Store.step` contract that every store must meet. `open` returns a new, empty store. `outlive`: its data survives closing and reopening.
 * `share`: several stores can be open on the same data.
 */
export function describeSteps(name: string, open: OpenStore, can: { outlive: boolean; share?: boolean }): void {
  const parts = [
    { part: 'facts', run: () => describeFacts(open, can.outlive) },
    { part: 'a step read', run: () => describeReads(open) },
    { part: 'atomicity', run: () => describeAtomicity(open) },
    { part: 'events and audit', run: () => describeLogs(open) },
    { part: 'deletion', run: () => describeDeletion(open) },
    ...(can.share === true ? [{ part: 'several processes', run: () => describeSharing(open) }] : []),
  ];
  describe.each([name])('steps on %s', () => {
    describe.each(parts)('$part', ({ run }) => {
      run();
    });
  });
}
