import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openCommitKey } from '../../packages/server/src/receipts/commit-key.js';
import { createServerAccess } from '../../packages/terminal/src/main.js';
import { runWith } from './harbour-server.js';

const made: string[] = [];
const cwd = process.cwd();
afterEach(() => {
  process.chdir(cwd);
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  made.push(folder);
  return folder;
};

describe('[RUN29] countersign verify', () => {
  it('says which commits are not countersigned, and exits with 1 then and if nothing was verified', async () => {
    const [folder, home] = [makeFolder(), makeFolder()];
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' };
    const git = (...words: string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    for (const name of ['one', 'two']) git('commit', '-q', '--allow-empty', '-m', name);
    const id = git('rev-parse', 'HEAD').trim();
    const receipt = openCommitKey(home).sign({
      ...{ version: 1, commit: id, change: 'c', run: 'r', call: 'c', world: 'w', appliedAt: '', signers: [] },
      passkeys: [],
    });
    git('notes', '--ref', 'countersign', 'add', '-m', JSON.stringify(receipt));
    const keys = join(home, 'receipt.pub');
    process.chdir(folder);
    const verify = async (...words: string[]) =>
      await runWith(createServerAccess({ version: '0' }), ['verify', ...words], {});
    expect(await verify('HEAD~1..HEAD', '--keys', keys)).toMatchObject({
      code: 0,
      stdout: 'The commit is countersigned.\n',
    });
    const all = await verify('HEAD', '--keys', keys);
    expect(all.code).toBe(1);
    expect(all.stdout).toMatch(/^[\da-f]{12} one: It has no receipt\.\nNot countersigned: 1 of 2 commits\.\n$/);
    const passkey = await verify('HEAD~1..HEAD', '--keys', keys, '--require-passkey', '--json');
    expect([passkey.code, JSON.parse(passkey.stdout)]).toMatchObject([
      1,
      { ok: false, items: [{ problem: 'no-passkey' }] },
    ]);
    expect((await verify('HEAD..HEAD', '--keys', keys)).code).toBe(1);
    expect((await verify('nothing', '--keys', keys)).code).toBe(1);
    expect((await verify('--output=x', '--keys', keys)).code).not.toBe(0);
    const other = join(home, 'other');
    writeFileSync(other, `${readFileSync(keys, 'utf8')}{}\n`);
    expect((await verify('HEAD', '--keys', other)).stderr).toContain('other:2 is not a public key');
    expect((await verify('HEAD', '--keys', join(home, 'none'))).code).toBe(1);
  });
});
