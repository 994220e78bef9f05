import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askArguments } from './ask-always.js';

it('[A59.13] Gemini CLI is not started where it would ignore the policy that makes it ask', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-policies-'));
  try {
    const gemini = { command: ['gemini', '--acp'] };
    const ask = await askArguments(gemini, folder);
    await ask.remove();
    expect(ask.arguments[0]).toBe('--admin-policy');
    await writeFile(join(folder, 'company.toml'), '');
    await expect(askArguments(gemini, folder)).rejects.toThrow('would run calls without asking');
    expect((await askArguments({ command: ['opencode', 'acp'] }, folder)).arguments).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
