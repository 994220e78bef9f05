import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readNpmRegistry } from './read-npm-registry.js';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'npmrc-'));
});
afterEach(() => rm(home, { recursive: true }));

it('[MCP3.2] reads the registry from the person’s npm configuration', async () => {
  expect(await readNpmRegistry({}, home)).toBeUndefined();
  await writeFile(join(home, '.npmrc'), '@mine:registry=https://a.example\n registry = "https://b.example/npm/"\n');
  expect(await readNpmRegistry({}, home)).toBe('https://b.example/npm/');
  expect(await readNpmRegistry({ NPM_CONFIG_REGISTRY: 'https://c.example' }, home)).toBe('https://c.example');
  expect(await readNpmRegistry({ npm_config_userconfig: join(home, 'none') }, home)).toBeUndefined();
});

it('[MCP3.2] never passes on a registry with credentials or an unusable URL', async () => {
  for (const registry of ['https://me:secret@a.example', 'https://token@a.example', '${REGISTRY}', 'file:///etc'])
    expect(await readNpmRegistry({ npm_config_registry: registry }, home)).toBeUndefined();
});
