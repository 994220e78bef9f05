import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freshFolder } from './testing/fresh-folder.js';

const run = promisify(execFile);
const inFolder = freshFolder();
const command = fileURLToPath(new URL('../bin/countersign.js', import.meta.url));

it('exits quietly when its output pipe is closed', async () => {
  const { stdout, stderr } = await run('bash', ['-c', `"${process.execPath}" "${command}" worlds list | head -1`], {
    env: { PATH: process.env['PATH'], HOME: inFolder('.'), COUNTERSIGN_HOME: inFolder('home') },
  });
  expect({ stdout: stdout.split(/ +/)[0], stderr }).toEqual({ stdout: 'NAME', stderr: '' });
});
