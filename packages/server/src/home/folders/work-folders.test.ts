import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorkFolders } from './work-folders.js';

it('[SAFE1.1] rejects the user’s home, where file tools could read keys and passwords', () => {
  // Our home is elsewhere, so that no other check rejects it.
  const folders = createWorkFolders(join(tmpdir(), 'no-such-home'));
  for (const folder of [homedir(), dirname(homedir())]) {
    expect(() => folders.check(folder)).toThrow(/contains your home folder|from which Countersign starts programs/);
  }
  expect(() => folders.check(homedir())).toThrow(
    `the working folder ${homedir()} contains your home folder with its keys and passwords, which agents must not reach; choose a folder inside it`,
  );
});

it('[SAFE1.1] rejects a working folder that contains programs which the server starts', () => {
  const folders = createWorkFolders(join(tmpdir(), 'no-such-home'));
  for (const folder of ['/usr', '/usr/bin']) {
    expect(() => folders.check(folder)).toThrow('from which Countersign starts programs; choose another');
  }
  expect(() => folders.check('/usr/share')).toThrow('contains or is inside /usr, whose files');
});
