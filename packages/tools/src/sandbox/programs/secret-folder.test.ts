import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkWorkingFolder } from '../look-around.js';
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
  // It would be read with the rest.
  ['.config', '~/.config/gcloud'],
  // Where a link of the person's own leads.
  ['dotfiles/docker', '~/.docker'],
  ['dotfiles', '~/.docker'],
])('[A21] ~/%s is, holds or lies in a folder for secrets', (folder, secret) => {
  expect(secretFolderAt(join(home, folder), home)).toBe(secret);
});

it.each(['project', 'project/.ssh', '.sshd', 'gone'])('[A21] ~/%s is not a secret folder', (folder) => {
  expect(secretFolderAt(join(home, folder), home)).toBeUndefined();
});

it('[A21] no command and no MCP server runs in one', () => {
  const place = { home, hide: [], show: [], keptPaths: undefined, network: 'none' } as const;
  expect(() => checkWorkingFolder({ ...place, workingDirectory: join(home, '.ssh/keys') })).toThrow(
    'holds, or lies in, ~/.ssh, a folder for keys and passwords',
  );
  expect(() => checkWorkingFolder({ ...place, workingDirectory: join(home, 'project') })).not.toThrow();
});
