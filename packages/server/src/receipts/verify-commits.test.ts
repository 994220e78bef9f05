import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitReceipt, PinnedPasskey, SignedDecision } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createSoftPasskey } from '../testing/soft-passkey.js';
import { challengeFor } from './challenge-for.js';
import { openCommitKey } from './commit-key.js';
import { readCommitKeys, verifyCommits } from './verify-commits.js';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'receipts-'));
  made.push(folder);
  return folder;
};

const passkey = createSoftPasskey();
const { credentialId, rpId, publicKey } = passkey;
const pinned: PinnedPasskey = {
  ...{ kind: 'countersign-passkey', version: 1, person: 'ada', name: 'Key' },
  ...{ credentialId, rpId, publicKey },
};

/** A repository with three commits on `main`; `countersign` adds a receipt to one. */
function open() {
  const folder = makeFolder();
  const home = makeFolder();
  const env = {
    ...{ PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' },
  };
  const sh = (script: string, input = ''): string =>
    execFileSync('/bin/sh', ['-euc', script], { cwd: folder, env, input, encoding: 'utf8' }).trim();
  sh(`git init -q -b main; for n in 1 2 3; do echo $n > $n; git add $n; git commit -qm "commit $n"; done`);
  const countersign = (commit: string, change: Partial<CommitReceipt> = {}, key = openCommitKey(home)): void => {
    const id = sh(`git rev-parse ${commit}`);
    const receipt: CommitReceipt = {
      ...{ version: 1, commit: id, change: 'c'.repeat(64), run: 'run_1', call: 'call_1', world: 'w' },
      ...{ appliedAt: '2026-01-01T00:00:00Z', signers: [{ kind: 'person', id: 'ada', name: 'Ada' }], passkeys: [] },
      ...change,
    };
    sh(`git notes --ref countersign add -f -F - ${id} 2>/dev/null`, JSON.stringify(key.sign(receipt)));
  };
  const verify = async (range: string, requirePasskey = false): Promise<(string | undefined)[]> => {
    const keys = readCommitKeys(`${readFileSync(join(home, 'receipt.pub'), 'utf8')}\n${JSON.stringify(pinned)}\n`);
    return (await verifyCommits(folder, range, { keys, requirePasskey })).map(({ problem }) => problem);
  };
  openCommitKey(home);
  return { folder, home, sh, countersign, verify };
}

function signed(change: Partial<SignedDecision> = {}) {
  const decision: SignedDecision = {
    ...{ call: 'a'.repeat(64), salt: 'b'.repeat(64), effect: 'c'.repeat(64), decision: 'approve', scope: 'once' },
    ...{ approvalId: 'approval_1', nonce: 'A'.repeat(43) },
    ...change,
  };
  return { version: 1 as const, signed: decision, ...passkey.sign(challengeFor(decision).toString('base64url')) };
}

describe('countersigned commits', () => {
  it('[RUN29] each need a receipt of their own', async () => {
    const { sh, countersign, verify } = open();
    for (const commit of ['main', 'main~1']) countersign(commit);
    expect(await verify('main~2..main')).toEqual([undefined, undefined]);
    expect(await verify('main')).toEqual(['missing', undefined, undefined]);
    sh('git config notes.rewriteRef refs/notes/countersign; git commit -q --amend -m amended');
    expect(await verify('main~1..main')).toEqual(['other-commit']);
    sh('git reset -q --soft main~1; git commit -q --amend -m squashed');
    expect(await verify('main~1..main')).toEqual(['other-commit']);
    sh('git config --unset notes.rewriteRef; git commit -q --amend -m again');
    expect(await verify('main~1..main')).toEqual(['missing']);
  });

  it('[RUN29] fail with another key, another signature, and a note that is no receipt', async () => {
    const { sh, countersign, verify } = open();
    countersign('main', {}, openCommitKey(makeFolder()));
    countersign('main~1');
    const note = sh('git notes --ref countersign show main~1').replace('call_1', 'call_2');
    sh('git notes --ref countersign add -f -F - main~1 2>/dev/null', note);
    sh('git notes --ref countersign add -f -m looks-good main~2');
    expect(await verify('main')).toEqual(['malformed', 'wrong-signature', 'unknown-key']);
    sh('git update-ref -d refs/notes/countersign');
    expect(await verify('main')).toEqual(['missing', 'missing', 'missing']);
  });

  it('[RUN29.1] can need a passkey that signed the same change', async () => {
    const { countersign, verify } = open();
    countersign('main', { passkeys: [signed()] });
    countersign('main~1', { passkeys: [signed({ effect: 'd'.repeat(64) })] });
    expect(await verify('main~2..main', true)).toEqual(['no-passkey', undefined]);
    countersign('main', { passkeys: [signed()], signers: [{ kind: 'person', id: 'bob', name: 'Bob' }] });
    countersign('main~1', { passkeys: [signed({ decision: 'deny' })] });
    expect(await verify('main~2..main', true)).toEqual(['no-passkey', 'no-passkey']);
    expect(await verify('main~2..main')).toEqual([undefined, undefined]);
  });

  it('keeps its key over a restart, and refuses a file of keys with another line', () => {
    const { home } = open();
    const before = readFileSync(join(home, 'receipt.pub'), 'utf8');
    openCommitKey(home);
    expect(readFileSync(join(home, 'receipt.pub'), 'utf8')).toBe(before);
    expect(() => readCommitKeys(`${before}nothing`)).toThrow('2');
  });
});
