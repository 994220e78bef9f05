import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorkFolders } from './work-folders.js';

it('[A21] refuses a working folder that holds programs which the server starts', () => {
  const folders = createWorkFolders(join(tmpdir(), 'no-such-home'));
  for (const folder of ['/usr', '/usr/bin']) {
    expect(() => folders.check(folder)).toThrow('from which Countersign starts programs; choose another');
  }
  expect(folders.check('/usr/share')).toBe('/usr/share');
});
