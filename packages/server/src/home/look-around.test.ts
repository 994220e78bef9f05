import { expect, it } from 'vitest';
import { lookAtSandbox } from './look-around.js';

it('[A21] doctor says what it means that there is no sandbox', () => {
  const found = lookAtSandbox('/home/ada/.countersign', { kind: 'none', reason: 'bubblewrap is not installed' });
  expect(found).toMatchObject({
    what: 'sandbox',
    state: 'without',
    detail:
      'none: nothing stops an approved command from reading and changing your files, using the network or approving its own calls (bubblewrap is not installed)',
  });
});
