import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, openRunGround, type RunGround } from '../../terminal/run-ground.js';
import { openBorderScene, readAttempts, type BorderScene } from './border-scene.js';

const LIMIT = { timeout: 100_000 };
const mark = `border-${randomBytes(6).toString('hex')}`;

/** Without a sandbox, these succeed and harm nobody. */
const HARMLESS = [
  ...[
    'by its path',
    'through a link',
    'through a hard link',
    'through many parent folders',
    'with a copy',
    'with tar',
  ].map((how) => `reads the SSH key ${how}`),
  ...['lists the home', 'finds a secret in any readable file of the home', 'finds the secret in the environment'],
  ...['opens environ of a process outside', 'lists cwd of a process outside', 'sees a process outside'],
  ...['connects to loopback', 'connects to localhost', 'connects to a socket in the home'],
  ...['connects to an abstract socket outside', 'sends a datagram to loopback'],
];

describe.skipIf(!canRun)('attempts to get a byte out of a run, or into it', () => {
  let ground: RunGround;
  let scene: BorderScene;
  let project = '';
  beforeAll(async () => {
    ground = await openRunGround({ AWS_SECRET_ACCESS_KEY: `${mark}-secret` });
    scene = await openBorderScene(ground.path, mark);
    project = join(ground.path, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'a.txt'), 'before\n');
    for (const words of [
      'init -q -b main',
      'add -A',
      '-c user.name=Ann -c user.email=ann@example.com commit -qm start',
    ])
      execFileSync('git', words.split(' '), { cwd: project });
    await ground.client().createWorld({ name: 'Project', workingDirectory: project, mode: 'ask' });
  });
  afterAll(async () => {
    scene.close();
    await ground.close();
  });

  it('succeed where nothing holds them, so that a failed one means something', LIMIT, async () => {
    const words = [...scene.plantIn(project, { supervisor: process.pid, server: ground.pid() }), ...HARMLESS];
    const env = { ...ground.env, NO_PROXY: '' };
    const { stdout } = await promisify(execFile)(words[0] ?? '', words.slice(1), { cwd: project, env });
    const attempts = readAttempts(stdout);
    expect(attempts).toHaveLength(HARMLESS.length);
    expect(attempts.filter(({ got }) => got === 'held')).toEqual([]);
    // What follows would find what these left.
    execFileSync('git', ['clean', '-fdq'], { cwd: project });
    await expect
      .poll(() => scene.seen().toSorted())
      .toEqual([
        'reached TCP at 127.0.0.1',
        'reached UDP',
        'reached a socket in the home',
        'reached an abstract socket',
      ]);
  });

  it('[RUN3] [RUN8] get nothing through, and leave nothing that runs later', LIMIT, async () => {
    const words = scene.plantIn(project, { supervisor: process.pid, server: ground.pid() });
    scene.forget();
    const { ended } = ground.start(project, 'run', '--allow-host', 'allowed.example', '--', ...words);
    const waiting = async () => (await ground.client().approvals('project')).items;
    await expect.poll(async () => (await waiting()).length, LIMIT).toBe(1);
    for (const approval of await waiting())
      await ground.client().decide('project', approval, { decision: 'approve', scope: 'once' });
    const { stdout, stderr } = await ended;
    expect(stderr).toContain('The changes were applied.');
    const attempts = readAttempts(stdout);
    expect(attempts.length).toBeGreaterThan(300);
    expect(attempts.filter(({ got }) => got === 'through')).toEqual([]);
    expect(scene.seen()).toEqual([]);
    expect(scene.seenIn(project)).toEqual([]);
    expect(stdout).not.toContain(scene.secret);
  });
});
