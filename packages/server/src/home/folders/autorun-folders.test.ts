import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { autorunFolders } from './autorun-folders.js';

let home = '';
let find: (folder: string) => string | undefined = () => undefined;
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'countersign-autorun-')));
  for (const folder of ['dotfiles/config', 'tools', 'project/node_modules/.bin'])
    await mkdir(join(home, folder), { recursive: true });
  await symlink(join(home, 'dotfiles/config'), join(home, '.config'));
  const path = ['tools', 'project/node_modules/.bin', 'project/.venv/bin'].map((folder) => join(home, folder));
  vi.stubEnv('PATH', path.join(delimiter));
  const finds = autorunFolders(join(home, '.config/countersign-worlds'));
  vi.unstubAllEnvs();
  find = (folder) => finds(folder, home);
});
afterAll(() => rm(home, { recursive: true, force: true }));

it.each([
  '.config/systemd/user',
  'dotfiles/config/autostart',
  '.local',
  '.local/bin',
  'bin/x',
  'tools',
  'Library',
  '.claude',
])('[SAFE1.1] no world works in ~/%s', (folder) => expect(find(join(home, folder))).toBeDefined());

it.each(['/etc', '/etc/cron.d', '/usr/local/bin', '/usr/share', '/lib', '/var/spool', '/var/spool/cron/crontabs'])(
  '[SAFE1.1] no world works in %s',
  (folder) => expect(find(folder)).toBeDefined(),
);

it.each(['project', 'project/node_modules', 'project/.venv', '.cache/x', 'notes', '.config/countersign-worlds/a'])(
  '[SAFE1.1] a world can work in ~/%s',
  (folder) => expect(find(join(home, folder))).toBeUndefined(),
);

it.each(['/srv/app', '/opt/app', '/tmp/app', '/var/www/app', '/home/ada/app', '/mnt/disk', '/run/media/ada/disk'])(
  '[SAFE1.1] a world can work in %s',
  (folder) => expect(find(folder)).toBeUndefined(),
);
