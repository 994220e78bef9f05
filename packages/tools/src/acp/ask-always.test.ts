import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { askArguments } from './ask-always.js';

const gemini = { command: ['gemini', '--acp'] };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-policies-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The first argument for Gemini CLI. */
async function firstArgument(systemPolicies: string): Promise<string | undefined> {
  const ask = await askArguments(gemini, systemPolicies);
  if (ask.folder !== undefined) await rm(ask.folder, { recursive: true });
  return ask.arguments[0];
}

it('[EXT3.13] Gemini CLI is not started where it would ignore the policy that makes it ask', async () => {
  expect(await firstArgument(folder)).toBe('--admin-policy');
  await writeFile(join(folder, 'company.toml'), '');
  await expect(firstArgument(folder)).rejects.toThrow('would run calls without asking');
  expect((await askArguments({ command: ['opencode', 'acp'] }, folder)).arguments).toEqual([]);
});

it('[EXT3.13] Gemini CLI is not started if it is unknown whether it would ignore the policy', async () => {
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'file'), '');
  await symlink('loop', join(folder, 'loop'));
  for (const name of ['empty', 'missing', 'file/policies'])
    expect(await firstArgument(join(folder, name))).toBe('--admin-policy');
  await expect(firstArgument(join(folder, 'loop'))).rejects.toThrow("can't be read (ELOOP");
});
