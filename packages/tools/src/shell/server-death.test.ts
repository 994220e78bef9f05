import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweepFolders } from '@countersign/changes';
import { sharedSandbox } from '../testing/shared-sandbox.js';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { processesIn } from '../testing/try-tool.js';

const sandbox = await sharedSandbox();
/** Built from `testing/dying-server.ts`. */
const program = fileURLToPath(new URL('../../../countersign/dist/testing/bundle/dying-server.js', import.meta.url));

describe.skipIf(process.platform !== 'linux')('when the server is killed', () => {
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => folder.remove());

  const kinds = sandbox.kind === 'none' ? ['none'] : [sandbox.kind, 'none'];
  it.each(kinds)('[STORE3] every child process of a command dies with the server (%s)', async (kind) => {
    const command = `trap '' TERM HUP INT; nohup setsid bash -c "trap '' TERM HUP; echo up; while :; do sleep 1000; done" & (sleep 1000 &) ; sleep 1000`;
    const server = spawn(process.execPath, [program, folder.path, kind, command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    expect(String(said)).toContain('up');
    await expect.poll(() => processesIn(folder.path).length).toBeGreaterThan(2);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await expect.poll(() => processesIn(folder.path)).toEqual([]);
  });

  it.skipIf(sandbox.kind !== 'bubblewrap')(
    '[CHANGE1] [STORE3] none of the command’s changes are in the folder, and its draft is removed',
    async () => {
      // A separate cache: another run of these tests would clean up the shared one.
      const cache = await makeFolder();
      const command = 'mkdir .git x; touch .git/config x/y; echo up; sleep 1000';
      const server = spawn(process.execPath, [program, folder.path, sandbox.kind, command], {
        env: { ...process.env, XDG_CACHE_HOME: cache.path },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(server.stdout, 'data');
      server.kill('SIGKILL');
      await once(server, 'exit');
      await expect.poll(() => processesIn(folder.path)).toEqual([]);
      expect(await readdir(folder.path)).toEqual([]);
      const [drafts = ''] = await readdir(cache.path);
      expect(await draftsIn(join(cache.path, drafts))).toHaveLength(2);
      await sweepFolders({ folder: join(cache.path, drafts), flock: 'flock' });
      expect(await draftsIn(join(cache.path, drafts))).toEqual([]);
      await cache.remove();
    },
  );
});

/** Without the lock files and deletion lists next to them, which stay. */
async function draftsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !/^(?:lock-|removed-)/.test(name));
}

const nobody = 65_534;
/** Only root can change users, and the other user must be able to read the project folder. */
const canDrop =
  sandbox.kind === 'bubblewrap' &&
  process.getuid?.() === 0 &&
  spawnSync('test', ['-r', program], { uid: nobody, gid: nobody }).status === 0;

// The kernel treats root differently in many places. If we aren't root, the tests above already covered this.
describe.skipIf(!canDrop)('as a user other than root', () => {
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await makeFolder();
    await mkdir(join(folder.path, 'home'));
    await mkdir(join(folder.path, 'work', 'old'), { recursive: true });
    for (const name of ['', 'home', 'work', 'work/old']) await chown(join(folder.path, name), nobody, nobody);
  });
  afterEach(() => folder.remove());

  const run = async (command: string): Promise<string> => {
    const server = spawn(process.execPath, [program, join(folder.path, 'work'), 'bubblewrap', command, '40'], {
      uid: nobody,
      gid: nobody,
      cwd: '/',
      env: { PATH: process.env['PATH'], HOME: join(folder.path, 'home') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (text: Buffer) => (said += String(text)));
    await once(server, 'close');
    return said;
  };

  it('[CHANGE1] a command writes to a draft as the same user, and only what undoing it needs is left', async () => {
    const said = await run(
      'id -u; rmdir old; mkdir old new .vscode; touch old/x .vscode/y; grep CapEff /proc/self/status; true',
    );
    expect(said).toMatch(/^65534\nCapEff:\s+0{16}\n$/);
    expect((await readdir(join(folder.path, 'work'), { recursive: true })).sort()).toEqual(['new', 'old', 'old/x']);
    const left = await draftsIn(join(folder.path, 'home', '.cache', `countersign-drafts-${nobody}`));
    expect(left).toEqual([expect.stringMatching(/^undo-.*-call$/)]);
  });

  it('a fork bomb runs out of processes', async () => {
    const said = await run(
      'for i in {1..100}; do sleep 1000 & done 2>&1 | grep -c -m1 "Resource temporarily unavailable"; true',
    );
    // The limit includes other processes of the same user, so on a busy machine even the pipe may fail to fork.
    expect(said).toMatch(/^1$|Resource temporarily unavailable/m);
  });
});
