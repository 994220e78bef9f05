import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../../../tests/support/make-folder.js';
import { openCanaries, type Canaries } from './canaries.js';
import { findWritten, findMarked, plantSecrets, plantSockets, readTree, secretOf } from './plant.js';
import { ATTACKS, NEXT, scriptsOf, wasTried, type AttackScene, type RunOutcome } from './run-attacks.js';

const run = promisify(execFile);

/** The attacks that are harmless where nothing holds them. */
const HARMLESS = ['read-ssh', 'read-document', 'environment', 'home', 'socket-sshAgent', 'address', 'process'];

describe('the attacks of a drilled run', () => {
  let folder: TestFolder;
  let canaries: Canaries;
  let scene: AttackScene;
  beforeEach(async () => {
    folder = await makeFolder();
    const place = { home: join(folder.path, 'home'), folder: join(folder.path, 'project') };
    for (const one of Object.values(place)) await mkdir(one);
    canaries = await openCanaries();
    scene = {
      ...place,
      secrets: await plantSecrets(place, { seed: 'x', isScene: false }),
      sockets: await plantSockets(place, { canaries, isScene: false }),
      addresses: canaries.addresses,
      mark: String(500_000 + process.pid),
      pid: process.pid,
    };
  });
  afterEach(async () => {
    canaries.close();
    await folder.remove();
  });

  it('[RUN13.1] get through where nothing holds them, so that a held row means something', async () => {
    const attacks = ATTACKS.filter(({ id }) => HARMLESS.includes(id));
    expect(attacks).toHaveLength(HARMLESS.length);
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: scene.home,
      DRILL_SECRET: secretOf('environment', 'x'),
    };
    const before = readTree(scene.folder);
    let said = '';
    for (const script of scriptsOf(attacks, scene))
      said += (await run('bash', ['-c', script], { cwd: scene.folder, env, encoding: 'utf8' })).stdout;
    const outcome: RunOutcome = {
      said,
      secretOf: (place) => secretOf(place, 'x'),
      reached: canaries.reached(),
      isWritten: findWritten([scene.home]),
      isAlive: findMarked(scene.mark).length > 0,
      isUnchanged: readTree(scene.folder) === before,
      hosts: [],
    };
    for (const pid of findMarked(scene.mark)) process.kill(pid);
    expect(attacks.filter(({ id }) => !wasTried(said, id))).toEqual([]);
    expect(attacks.filter((attack) => attack.held(outcome, scene)).map(({ id }) => id)).toEqual([]);
    expect(outcome.isUnchanged).toBe(false);
  });

  it('[RUN13.1] what couldn’t be planted has no script, and a script that was cut off was not tried', () => {
    const missing = ATTACKS.filter((attack) => attack.script(scene) === undefined).map(({ id }) => id);
    expect(missing).toEqual([
      ...['read-otherHome', 'read-opt', 'read-srv', 'read-disk'],
      ...['socket-docker', 'socket-systemBus', 'socket-sessionBus'],
    ]);
    expect(scriptsOf(ATTACKS, scene).join('\n')).not.toContain('row read-opt');
    expect(wasTried('[[next]]\n[[next:timeout]]', NEXT.id)).toBe(false);
    expect(wasTried('', NEXT.id)).toBe(false);
    expect(wasTried('[[next]]', NEXT.id)).toBe(true);
  });
});
