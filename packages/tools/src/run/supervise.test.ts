import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { systemClock } from '@countersign/core/ports';
import type { Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import { sharedSandbox } from '../testing/shared-sandbox.js';
import { makeRun, makeSignals, tryRun, type RunPlace } from '../testing/try-run.js';
import { processesIn } from '../testing/try-tool.js';
import { RUN_LIMITS } from './limits.js';
import { NoSuchProgram } from './start-program.js';
import { GRACE_MS } from './supervise.js';
import { findPrivate } from './system-view.js';

const sandbox = await sharedSandbox();
/** Not below /tmp, which is empty in a run anyway. */
const visible = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..', 'node_modules', '.cache');
/** Built from `testing/dying-run.ts`. */
const dyingRun = fileURLToPath(new URL('../../../countersign/dist/testing/bundle/dying-run.js', import.meta.url));
const isRoot = process.getuid?.() === 0;

it('[RUN2.3] finds what other users can’t read, so that root’s program can’t either', async () => {
  const { path, remove } = await makeFolder();
  await mkdir(join(path, 'open', 'closed'), { recursive: true });
  await mkdir(join(path, 'closed'), { mode: 0o711 });
  await writeFile(join(path, 'open', 'secret'), '', { mode: 0o640 });
  await writeFile(join(path, 'open', 'public'), '');
  const deep = join('open', ...'123456789'.split(''));
  await mkdir(join(path, deep), { recursive: true });
  await writeFile(join(path, deep, 'secret'), '', { mode: 0o600 });
  await chmod(join(path, 'open', 'closed'), 0o750);
  await chmod(path, 0o755);
  const found = (await findPrivate([path])).filter((one) => one.startsWith(path));
  expect(found.toSorted()).toEqual(
    ['closed', `${deep}/secret`, 'open/closed', 'open/secret'].map((name) => join(path, name)),
  );
  await remove();
});

describe.skipIf(sandbox.kind !== 'bubblewrap')('a run', () => {
  let person: TestFolder;
  let folder: string;
  let place: RunPlace;
  const bubblewrap = sandbox as Bubblewrap;
  const formerHome = process.env['HOME'];

  beforeEach(async () => {
    await mkdir(visible, { recursive: true });
    person = await makeFolder(visible);
    process.env['HOME'] = person.path;
    folder = join(person.path, 'project');
    await mkdir(join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'src', 'a.txt'), 'before\n');
    place = await makeRun(bubblewrap, folder);
  });
  afterEach(async () => {
    process.env['HOME'] = formerHome;
    await place.remove();
    await person.remove();
  });

  const sh = (script: string): string[] => ['sh', '-c', script];

  it('[RUN1] writes to a draft, passes input, output and the exit code on, and writes how it ended', async () => {
    const script = 'cat; echo changed > src/a.txt; echo new > b.txt; mkdir d; echo oops >&2; exit 7';
    const ended = await tryRun(place, sh(script), { input: 'given\n' });
    expect(ended).toMatchObject({ exitCode: 7, why: 'exited', stdout: 'given\n', stderr: 'oops\n' });
    expect(await readdir(folder)).toEqual(['src']);
    expect(await readFile(join(folder, 'src', 'a.txt'), 'utf8')).toBe('before\n');
    const { root } = place.started;
    expect(await readFile(join(root, 'upper', 'b.txt'), 'utf8')).toBe('new\n');
    expect(await readFile(join(root, 'upper', 'src', 'a.txt'), 'utf8')).toBe('changed\n');
    const { stdout: _out, stderr: _err, ...written } = ended;
    expect(JSON.parse(await readFile(join(root, 'ended.json'), 'utf8'))).toEqual(written);
  });

  it('[RUN1.1] a program that doesn’t exist starts nothing', async () => {
    await expect(tryRun(place, ['no-such-program'])).rejects.toThrow(NoSuchProgram);
    expect(existsSync(join(place.started.root, 'ended.json'))).toBe(false);
  });

  it('[RUN2] sees the system, its draft and an empty home, and nothing else', async () => {
    await mkdir(join(person.path, '.ssh'));
    await writeFile(join(person.path, '.ssh', 'id_ed25519'), 'SECRET-KEY');
    await writeFile(join(person.path, 'notes'), 'SECRET-NOTES');
    const outside = await makeFolder(visible);
    await writeFile(join(outside.path, 'other'), 'SECRET-OTHER');
    const shared = await makeFolder();
    await writeFile(join(shared.path, 'x'), 'SECRET-TMP');
    const looks = [
      `ls / /home /root /opt /srv /mnt /var /tmp /run "$HOME"`,
      `cat "$HOME"/.ssh/* "$HOME"/notes ${outside.path}/other ${shared.path}/x ../notes ../.ssh/id_ed25519`,
      'cat /etc/shadow /etc/passwd /etc/ssh/* /var/log/* /proc/1/root/etc/shadow',
      `cat /proc/${process.pid}/environ /proc/1/environ /proc/1/root${person.path}/notes`,
      `ln -s ${person.path}/notes link; cat link; ln ${person.path}/notes hard; cat hard`,
    ];
    const { stdout, stderr } = await tryRun(place, sh(looks.map((look) => `(${look})`).join('\n')));
    expect(stdout + stderr).not.toMatch(/SECRET|vitest/);
    expect(stdout).not.toMatch(/opt|srv|mnt/);
    expect(stderr).toMatch(/shadow: No such file/);
    // Only the user inside.
    expect(stdout.split('\n').filter((line) => line.includes(':x:'))).toHaveLength(3);
    await Promise.all([outside.remove(), shared.remove()]);
  });

  it('[RUN2.1] hides what rules cover', async () => {
    await mkdir(join(folder, 'private'));
    await writeFile(join(folder, 'private', 'x'), 'SECRET');
    await writeFile(join(folder, '.env'), 'SECRET');
    const covered = await makeRun(bubblewrap, folder, [
      join(folder, 'private'),
      join(folder, '.env'),
      '/opt/elsewhere',
    ]);
    const { stdout, stderr } = await tryRun(
      covered,
      sh('cat private/x .env; ls -A private; echo x > .env; rm -r private'),
    );
    expect(stdout).not.toContain('SECRET');
    expect(stderr).toContain('No such file');
    await covered.remove();
    expect(await readFile(join(folder, '.env'), 'utf8')).toBe('SECRET');
  });

  it('[RUN2.2] has a cleared environment, and lists what is passed by name', async () => {
    const environment = {
      PATH: process.env['PATH'],
      LANG: 'de_DE.UTF-8',
      TOKEN: 'SECRET',
      LD_PRELOAD: '/x',
      TZ: '`x`',
    };
    const { stdout, variables } = await tryRun(place, ['env'], { environment });
    expect(stdout).not.toMatch(/SECRET|LD_PRELOAD|TZ/);
    expect(stdout).toContain('LANG=de_DE.UTF-8');
    expect(stdout).toContain('COUNTERSIGN_RUN=1');
    expect(variables).toEqual(['LANG']);
  });

  it('[RUN2.2] commits with the person’s own name, where the folder has none, and runs nothing outside for it', async () => {
    const git = (...words: string[]): string => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
    git('init', '-q');
    git('config', 'user.email', 'own@example.com');
    for (const key of ['core.fsmonitor', 'core.pager', 'alias.config', 'credential.helper', 'core.sshCommand'])
      git('config', key, `!touch ${folder}/ran`);
    git('config', 'pager.config', `touch ${folder}/ran`);
    await writeFile(join(person.path, 'work.inc'), '[user]\nname = Ann Other');
    await writeFile(
      join(person.path, '.gitconfig'),
      `[user]\nname = Ann\nemail = ann@example.com\nsigningKey = SECRET\n[includeIf "gitdir:${folder}/"]\npath = work.inc\n`,
    );
    const script = 'git -c core.fsmonitor= commit -q --allow-empty -m x; git log --format="%an %ae %cn %ce"; env';
    const { stdout, variables } = await tryRun(place, sh(script), {
      environment: { PATH: process.env['PATH'], HOME: person.path },
    });
    expect(stdout).toMatch(/^Ann Other own@example.com Ann Other own@example.com\n/);
    expect(stdout).not.toContain('SECRET');
    expect(variables).toEqual(['GIT_AUTHOR_NAME', 'GIT_COMMITTER_NAME']);
    expect(await readdir(folder)).not.toContain('ran');
  });

  it('[RUN2.3] is another user than root, without capabilities, setuid programs or namespaces of its own', async () => {
    const script = [
      'id -u; grep CapBnd /proc/self/status',
      'unshare -U true || echo no-user; unshare -m true || echo no-mount; mount -t tmpfs x /tmp || echo no-tmpfs',
      'su root -c true </dev/null || echo no-su; echo 1 > /proc/sys/kernel/core_pattern || echo no-kernel',
      'echo x > /usr/x || echo no-usr; echo x > /x || echo no-root; echo x > /dev/x || echo no-dev; mknod d b 8 0 || echo no-device',
    ];
    const { stdout } = await tryRun(place, sh(script.map((line) => `(${line})`).join('\n')));
    const [uid, caps, ...rest] = stdout.trim().split('\n');
    expect(uid).toBe(isRoot ? '1000' : String(process.getuid?.()));
    expect(caps).toContain('0000000000000000');
    const refused = [
      'no-user',
      'no-mount',
      'no-tmpfs',
      'no-su',
      'no-kernel',
      'no-usr',
      'no-root',
      'no-dev',
      'no-device',
    ];
    expect(rest).toEqual(refused);
  });

  it('[RUN2.4] reaches no socket of a service, not even one in the folder that appears later', async () => {
    const path = join(folder, 's.sock');
    const server = createServer((socket) => socket.end('SECRET'));
    const ready = join(folder, 'src', 'ready');
    const connect = `const s=require('node:net').connect('s.sock');s.on('data',(d)=>console.log(String(d)));s.on('error',(e)=>console.log(e.code))`;
    const running = tryRun(place, sh(`echo up; while ! [ -e src/ready ]; do sleep 0.05; done; node -e "${connect}"`));
    await new Promise<void>((done) => server.listen(path, done));
    await chmod(path, 0o777);
    await writeFile(ready, '');
    expect((await running).stdout).toMatch(/up\n(ECONNREFUSED|ENOENT)/);
    server.close();
  });

  it('[RUN2.5] reaches no network', async () => {
    const connect = `require('node:net').connect(80,'1.1.1.1').on('error',(e)=>console.log(e.code)).on('connect',()=>console.log('SECRET'))`;
    expect((await tryRun(place, ['node', '-e', connect])).stdout).toMatch(/ENETUNREACH/);
  });

  const survivors = `trap '' TERM HUP INT; setsid bash -c "trap '' TERM HUP INT; echo up; while :; do sleep 1000; done" & (sleep 1000 &)`;

  it('[RUN3] leaves no process when the program ends', async () => {
    expect(await tryRun(place, ['bash', '-c', `${survivors}; read -r _ < <(sleep 0.1)`])).toMatchObject({
      why: 'exited',
    });
    expect(processesIn(folder)).toEqual([]);
  });

  it('[RUN3.1] is told to end by a signal, and is killed if it doesn’t', async () => {
    const signals = makeSignals();
    const said = (text: string): void => (text.endsWith('up\n') ? signals.send('SIGTERM') : undefined);
    const told = await tryRun(place, sh(`trap 'echo told; exit 3' TERM; echo up; while :; do sleep 0.1; done`), {
      signals,
      said,
    });
    expect(told).toMatchObject({ why: 'stopped', exitCode: 3, stdout: 'up\ntold\n' });
    const second = await makeRun(bubblewrap, folder);
    const killed = await tryRun(second, ['bash', '-c', `${survivors}; wait`], {
      signals,
      said,
      clock: { ...systemClock, after: (ms, fire) => systemClock.after(ms === GRACE_MS ? 1 : ms, fire) },
    });
    expect(killed).toMatchObject({ why: 'stopped', exitCode: 137 });
    expect(processesIn(folder)).toEqual([]);
    await second.remove();
  });

  it('[RUN3.3] all its processes die with its supervisor, and nothing says that it ended', async () => {
    const words = [JSON.stringify(place.started), 'bash', '-c', `${survivors}; sleep 1000`];
    const supervisor = spawn(process.execPath, [dyingRun, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(supervisor.stdout, 'data');
    expect(processesIn(folder).length).toBeGreaterThan(2);
    supervisor.kill('SIGKILL');
    await once(supervisor, 'exit');
    await expect.poll(() => processesIn(folder)).toEqual([]);
    expect(existsSync(join(place.started.root, 'ended.json'))).toBe(false);
    expect(await readdir(folder)).toEqual(['src']);
  });

  it.each([
    ['bytes', 'head -c 3000000 /dev/zero > big; sleep 100', { bytes: 2_000_000 }],
    ['files', 'mkdir m; cd m; for i in $(seq 60); do : > $i; done; sleep 100', { files: 50 }],
    ['memory', 'head -c 60000000 /dev/zero > /tmp/big; sleep 100', { memoryBytes: 50_000_000 }],
    ['processes', 'for i in $(seq 30); do sleep 100 & done; wait', { processes: 20 }],
    ['time', 'sleep 100', { ms: 300 }],
  ] as const)('[RUN3.2] stops when it exceeds its %s', async (why, script, limits) => {
    // The kernel's own limits would end it first.
    const ended = await tryRun(place, sh(script), { limits: { ...RUN_LIMITS, ...limits } });
    expect(ended).toMatchObject({ exitCode: 137, why });
  });
});
