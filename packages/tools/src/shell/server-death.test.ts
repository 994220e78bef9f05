import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSandbox } from '../sandbox/find-sandbox.js';
import { makeFolder, processesIn, type TestFolder } from '../testing/try-tool.js';

const sandbox = await findSandbox();
const home = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const source = fileURLToPath(new URL('../testing/dying-server.ts', import.meta.url));
const program = join(home, 'dist', relative(join(home, 'src'), source).replace(/\.ts$/, '.js'));

// Node runs what was built: without this it would run yesterday's code.
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
await promisify(execFile)(process.execPath, [tsc, '-b', home]);

describe.skipIf(process.platform !== 'linux')('when the server is killed', () => {
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => folder.remove());

  const kinds = sandbox.kind === 'none' ? ['none'] : [sandbox.kind, 'none'];
  it.each(kinds)('[S3] every child of a command dies with it (%s)', async (kind) => {
    const command = `trap '' TERM HUP INT; nohup setsid bash -c "trap '' TERM HUP; echo up; while :; do sleep 1000; done" & (sleep 1000 &) ; sleep 1000`;
    const server = spawn(process.execPath, [program, folder.path, kind, command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    expect(String(said)).toContain('up');
    expect(processesIn(folder.path).length).toBeGreaterThan(2);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await expect.poll(() => processesIn(folder.path), { timeout: 5_000 }).toEqual([]);
  });

  it.skipIf(sandbox.kind !== 'bubblewrap')(
    '[A20] [S3] nothing of its command is in the folder, and its draft is swept',
    async () => {
      if (sandbox.kind !== 'bubblewrap') return;
      const command = 'mkdir .git x; touch .git/config x/y; echo up; sleep 1000';
      const server = spawn(process.execPath, [program, folder.path, sandbox.kind, command], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(server.stdout, 'data');
      server.kill('SIGKILL');
      await once(server, 'exit');
      await expect.poll(() => processesIn(folder.path), { timeout: 5_000 }).toEqual([]);
      expect(await readdir(folder.path)).toEqual([]);
      const drafts = async (): Promise<string[]> =>
        (await readdir(sandbox.drafting.folder)).filter((name) => name.includes(`-${server.pid}-`));
      expect((await drafts()).length).toBe(1);
      await findSandbox();
      expect(await drafts()).toEqual([]);
    },
  );
});
