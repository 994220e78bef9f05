import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));

const shells = (['bash', 'zsh', 'fish'] as const).filter((shell) => {
  const isHere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  if (!isHere) process.stderr.write(`There is no ${shell} here: its completion was not tried.\n`);
  return isHere;
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-completion-'));
  writeFileSync(join(folder, 'a-world.yaml'), 'name: A\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How to start this shell with our completion. */
function startOf(shell: (typeof shells)[number]): { words: string[]; setUp: string } {
  const script = spawnSync(process.execPath, [command, 'completion', shell], { encoding: 'utf8' }).stdout;
  const file = join(folder, `completion.${shell}`);
  writeFileSync(file, script);
  switch (shell) {
    case 'bash':
      return { words: ['--noprofile', '--norc'], setUp: `source ${file}` };
    case 'zsh':
      return { words: ['-f'], setUp: `autoload -U compinit; compinit -u -D; source ${file}` };
    case 'fish':
      mkdirSync(join(folder, 'fish'), { recursive: true });
      return { words: ['--no-config'], setUp: `source ${file}` };
  }
}

describe.each(shells)('completion in %s', (shell) => {
  it('[TERM4] completes commands, flags and files after any other words', async () => {
    const { words, setUp } = startOf(shell);
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: folder, TERM: 'dumb', PS1: '' };
    const child = spawn(shell, words, { name: 'dumb', cols: 200, rows: 40, cwd: folder, env });
    let seen = '';
    child.onData((text) => {
      seen += text;
    });
    const see = async (wanted: RegExp): Promise<void> => {
      await expect.poll(() => seen).toMatch(wanted);
      seen = '';
    };
    try {
      child.write(`${setUp}\recho rea""dy\r`);
      await see(/ready/);
      for (const [typed, completed] of [
        ['countersign app', /approvals/],
        ['countersign approvals de', /approvals deny/],
        ['countersign --home list approvals list --sta', /--status/],
        ['countersign chat -w worlds --una', /--unattended/],
        ['countersign import a-wo', /a-world\.yaml/],
        ['countersign audit export --out a-wo', /a-world\.yaml/],
      ] as const) {
        child.write(`${typed}\t`);
        await see(completed);
        child.write('\u0015');
      }
    } finally {
      child.kill('SIGKILL');
    }
  });
});
