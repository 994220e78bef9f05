import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorkFolders } from './work-folders.js';

it('[A21] refuses the home of a person, in which file tools would read keys and passwords', () => {
  // Ours lies elsewhere, so that nothing else refuses it.
  const folders = createWorkFolders(join(tmpdir(), 'no-such-home'));
  for (const folder of [homedir(), dirname(homedir())]) {
    expect(() => folders.check(folder)).toThrow(/holds your whole home folder|from which Countersign starts programs/);
  }
  expect(() => folders.check(homedir())).toThrow(
    `the working folder ${homedir()} holds your whole home folder, with its keys and passwords, which agents must not reach; choose a folder inside it`,
  );
});

it('[A21] refuses a working folder that holds programs which the server starts', () => {
  const folders = createWorkFolders(join(tmpdir(), 'no-such-home'));
  for (const folder of ['/usr', '/usr/bin']) {
    expect(() => folders.check(folder)).toThrow('from which Countersign starts programs; choose another');
  }
  expect(folders.check('/usr/share')).toBe('/usr/share');
});
