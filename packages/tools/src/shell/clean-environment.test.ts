import { expect, it } from 'vitest';
import { cleanEnvironment } from './clean-environment.js';

it('[RULE1] [SAFE1.4] no program is run from a folder that an agent can write to, even if npm puts that folder first', () => {
  const path = ['/project/node_modules/.bin', '.', 'bin', '', '/usr/bin', '/bin'].join(':');
  expect(cleanEnvironment('/tmp', path)['PATH']).toBe('/usr/bin:/bin');
  expect(cleanEnvironment('/tmp', '/project/node_modules/.bin')['PATH']).toContain('/usr/bin');
});
