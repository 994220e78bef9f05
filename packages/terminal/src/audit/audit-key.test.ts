import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditClaim } from '@countersign/protocol';
import { createKeyFile, readPublicKey } from './audit-key.js';
import { openSigner, signHead } from './open-signer.js';
import { readHeads } from './read-heads.js';

let folder: string;
let home: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-audit-key-'));
  home = join(folder, 'home');
  mkdirSync(home);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const fresh = (): string => join(folder, `file-${(count += 1)}`);

const claim: AuditClaim = {
  kind: 'countersign-audit-head',
  version: 1,
  world: 'w',
  first: 'a'.repeat(64),
  seq: 7,
  hash: 'b'.repeat(64),
  at: '2026-11-16T05:00:00.000Z',
};

describe('[LOG3] the key that signs heads', () => {
  it('is a new file that only its owner can read, with the public key next to it', () => {
    const file = fresh();
    const { id, publicFile } = createKeyFile(file, home);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(publicFile, 'utf8')).not.toContain('PRIVATE');
    expect(openSigner({ COUNTERSIGN_AUDIT_KEY: file }, home)).toMatchObject({ kind: 'key', id });
    expect(() => createKeyFile(file, home)).toThrow('already exists');
  });

  it('is refused inside the home folder, even through a symlink, and if others can read it', () => {
    const inside = join(home, 'audit.key');
    expect(() => createKeyFile(inside, home)).toThrow('inside the home');
    expect(() => createKeyFile(join(home, 'deeper', 'audit.key'), home)).toThrow('inside the home');
    const link = fresh();
    symlinkSync(home, link);
    expect(() => createKeyFile(join(link, 'audit.key'), home)).toThrow('inside the home');
    const { file } = createKeyFile(fresh(), home);
    writeFileSync(inside, readFileSync(file), { mode: 0o600 });
    const outside = fresh();
    symlinkSync(inside, outside);
    for (const path of [inside, outside]) {
      expect(() => openSigner({ COUNTERSIGN_AUDIT_KEY: path }, home)).toThrow('inside the home');
    }
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(file, mode);
      expect(() => openSigner({ COUNTERSIGN_AUDIT_KEY: file }, home)).toThrow('Other users can read');
    }
  });

  it('is refused if it is missing, relative, not a key, or configured twice', () => {
    const noKey = fresh();
    writeFileSync(noKey, 'no key', { mode: 0o600 });
    expect(() => openSigner({ COUNTERSIGN_AUDIT_KEY: fresh() }, home)).toThrow('Could not read the audit key');
    expect(() => openSigner({ COUNTERSIGN_AUDIT_KEY: 'audit.key' }, home)).toThrow('absolute path');
    expect(() => openSigner({ COUNTERSIGN_AUDIT_KEY: noKey }, home)).toThrow('not an Ed25519 key');
    const both = { COUNTERSIGN_AUDIT_KEY: noKey, COUNTERSIGN_AUDIT_COMMAND: 'true' };
    expect(() => openSigner(both, home)).toThrow('both set');
    expect(() => openSigner({ COUNTERSIGN_AUDIT_COMMAND: 'true' }, home)).toThrow('COUNTERSIGN_AUDIT_PUBLIC_KEY');
    expect(openSigner({ COUNTERSIGN_AUDIT_KEY: '' }, home)).toEqual({ kind: 'none' });
  });

  it('can be used through a command, which gets the text but no token, and must sign with the expected key', async () => {
    const { file, publicFile, id } = createKeyFile(fresh(), home);
    const script = fresh();
    writeFileSync(
      script,
      `const { sign, createPrivateKey } = require('node:crypto');
       const { readFileSync } = require('node:fs');
       if (process.env.COUNTERSIGN_TOKEN !== undefined) process.exit(9);
       const key = createPrivateKey(readFileSync(process.argv[2]));
       console.log(sign(null, readFileSync(0), key).toString('base64'));`,
    );
    const signWith = (command: string, commandMs?: number) =>
      signHead(
        claim,
        openSigner(
          {
            COUNTERSIGN_AUDIT_COMMAND: command,
            COUNTERSIGN_AUDIT_PUBLIC_KEY: publicFile,
            COUNTERSIGN_TOKEN: 'a-token-that-only-this-test-knows-0123456789',
          },
          home,
          commandMs,
        ),
      );
    const run = `'${process.execPath}' '${script}'`;
    const head = await signWith(`${run} '${file}'`);
    expect(head.signature?.key).toBe(id);
    const heads = fresh();
    writeFileSync(heads, JSON.stringify(head));
    expect(readHeads(heads, [readPublicKey(publicFile)])).toEqual([head]);
    const other = createKeyFile(fresh(), home);
    await expect(signWith(`${run} '${other.file}'`)).rejects.toThrow('does not match the public key');
    await expect(signWith('echo nonsense')).rejects.toThrow('did not print');
    await expect(signWith('exit 3')).rejects.toThrow('it exited with code 3');
    // The shell exits immediately, but its child keeps the output open.
    await expect(signWith('sleep 4 & echo nonsense', 50)).rejects.toThrow('it did not finish within 0.05 s');
  });
});

describe('[LOG3] a file with heads', () => {
  const written = (text: string): string => {
    const file = fresh();
    writeFileSync(file, text);
    return file;
  };

  it('is read as one document or one head per line, all with valid signatures', async () => {
    const { file, publicFile } = createKeyFile(fresh(), home);
    const signer = openSigner({ COUNTERSIGN_AUDIT_KEY: file }, home);
    const heads = [await signHead(claim, signer), await signHead({ ...claim, seq: 9 }, signer)];
    const keys = [readPublicKey(publicFile)];
    expect(readHeads(written(JSON.stringify(heads[0], undefined, 2)), keys)).toEqual(heads.slice(0, 1));
    const lines = heads.map((head) => JSON.stringify(head)).join('\n');
    expect(readHeads(written(`${lines}\n\n`), keys)).toEqual(heads);
    expect(() => readHeads(written(`${lines}\n{"kind":`), keys)).toThrow('line 3 is not an audit head');
  });

  it('is refused as a whole if one entry is changed, forged, unsigned, signed with another key, or not a head', async () => {
    const { file, publicFile } = createKeyFile(fresh(), home);
    const head = await signHead(claim, openSigner({ COUNTERSIGN_AUDIT_KEY: file }, home));
    const keys = [readPublicKey(publicFile)];
    const other = createKeyFile(fresh(), home);
    const forged = await signHead(claim, openSigner({ COUNTERSIGN_AUDIT_KEY: other.file }, home));
    const refused = (value: unknown, known = keys) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return () => readHeads(written(text), known);
    };
    expect(refused({ ...head, seq: 6 })).toThrow('signature does not match');
    expect(refused({ ...head, at: '2026-11-15T05:00:00.000Z' })).toThrow('signature does not match');
    const passedOff = { ...forged.signature, key: head.signature?.key };
    expect(refused({ ...head, signature: passedOff })).toThrow('signature does not match');
    expect(refused(forged)).toThrow(`unknown key ${forged.signature?.key}`);
    expect(refused(head, [])).toThrow('--key FILE');
    expect(refused({ ...head, signature: null })).toThrow('not signed, but a key was given');
    expect(refused({ ...head, note: 'trust me' })).toThrow('Unrecognized key');
    for (const garbage of ['', '\n', '{', '[]', 'null', '5', '{}', '\u0000\u0001']) {
      expect(refused(garbage)).toThrow(/audit head/);
    }
    expect(() => readHeads(fresh(), keys)).toThrow('Could not read');
    expect(readHeads(written(JSON.stringify({ ...claim, signature: null })), [])).toHaveLength(1);
  });
});
