import { mkdir, mkdtemp, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkWorkingFolder } from '../find-hidden.js';
import { secretFolderAt } from './secret-folder.js';

let home = '';
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'countersign-secrets-')));
  const folders = [
    '.ssh/keys',
    '.gnupg',
    '.aws',
    '.kube',
    '.config/gcloud',
    'dotfiles/docker',
    'project/.ssh',
    '.sshd',
  ];
  for (const folder of folders) await mkdir(join(home, folder), { recursive: true });
  await symlink(join(home, 'dotfiles/docker'), join(home, '.docker'));
  await symlink(join(home, 'gone'), join(home, '.azure'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

it.each([
  ['.ssh', '~/.ssh'],
  ['.ssh/keys', '~/.ssh'],
  ['.gnupg', '~/.gnupg'],
  ['.aws', '~/.aws'],
  ['.kube', '~/.kube'],
  ['.config/gcloud', '~/.config/gcloud'],
  // Opening `.config` would make this folder readable too.
  ['.config', '~/.config/gcloud'],
  // The target of one of the user's symlinks.
  ['dotfiles/docker', '~/.docker'],
  ['dotfiles', '~/.docker'],
])('[SAFE1.2] ~/%s is, contains or is inside a folder for secrets', (folder, secret) => {
  expect(secretFolderAt(join(home, folder), home)).toBe(secret);
});

it.each(['project', 'project/.ssh', '.sshd', 'gone'])('[SAFE1.2] ~/%s is not a secret folder', (folder) => {
  expect(secretFolderAt(join(home, folder), home)).toBeUndefined();
});

it('[SAFE1.2] a folder that is created, or replaced by a symlink, is checked from then on', async () => {
  const other = await realpath(await mkdtemp(join(tmpdir(), 'countersign-secrets-')));
  const project = join(other, 'project');
  // Long after the last change, so the result is cached.
  const found = (folder: string) => secretFolderAt(folder, other, Date.now() + 60_000);
  try {
    await mkdir(project);
    expect(found(project)).toBeUndefined();
    await changed(other, () => mkdir(join(other, '.ssh')));
    expect(found(join(other, '.ssh'))).toBe('~/.ssh');
    await changed(other, () => rename(join(other, '.ssh'), join(other, 'old')));
    await changed(other, () => symlink(project, join(other, '.ssh')));
    expect(found(project)).toBe('~/.ssh');
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});

/** Changes a folder, and then something else in it until the file system's clock has advanced. */
async function changed(folder: string, change: () => Promise<unknown>): Promise<void> {
  const { ctimeMs } = await stat(folder);
  await change();
  while ((await stat(folder)).ctimeMs === ctimeMs) {
    await mkdir(join(folder, 'probe'));
    await rm(join(folder, 'probe'), { recursive: true });
  }
}

it('[SAFE1.3] no command or MCP server runs in a folder for secrets', () => {
  const place = { home, hide: [], show: [], protectedPaths: undefined, network: 'none' } as const;
  expect(() => checkWorkingFolder({ ...place, workingDirectory: join(home, '.ssh/keys') })).toThrow(
    'contains or is inside ~/.ssh, a folder for keys and passwords',
  );
  expect(() => checkWorkingFolder({ ...place, workingDirectory: join(home, 'project') })).not.toThrow();
});
