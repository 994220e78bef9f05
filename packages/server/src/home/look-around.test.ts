import { expect, it } from 'vitest';
import { lookAtSandbox } from './look-around.js';

it('[A21] doctor says what it means that there is no sandbox', () => {
  const found = lookAtSandbox('/home/ada/.countersign', { kind: 'none', reason: 'bubblewrap is not installed' });
  expect(found).toMatchObject({
    what: 'sandbox',
    state: 'without',
    detail: 'none: what you approve runs with all of your rights (bubblewrap is not installed)',
  });
});
