import { execFile } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { promisify } from 'node:util';
import {
  commitReceiptSchema,
  pinnedPasskeySchema,
  pinnedServerSchema,
  RECEIPTS_REF,
  signedReceiptSchema,
  type CommitReceipt,
  type PinnedPasskey,
  type PinnedServer,
} from '@countersign/protocol';
import { signedText } from './commit-key.js';
import { verifyReceipt } from './verify-receipt.js';

const run = promisify(execFile);

/** Why a commit isn't countersigned. */
type CommitProblem = 'missing' | 'malformed' | 'unknown-key' | 'wrong-signature' | 'other-commit' | 'no-passkey';

export interface VerifiedCommit {
  readonly commit: string;
  readonly subject: string;
  readonly problem?: CommitProblem;
  readonly receipt?: CommitReceipt;
}

/** The public keys of servers and passkeys, one JSON value per line. Throws with the number of the line that is neither. */
export function readCommitKeys(text: string): { servers: PinnedServer[]; passkeys: PinnedPasskey[] } {
  const servers: PinnedServer[] = [];
  const passkeys: PinnedPasskey[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parse(line);
    const [server, passkey] = [pinnedServerSchema.safeParse(value), pinnedPasskeySchema.safeParse(value)];
    if (server.success) servers.push(server.data);
    else if (passkey.success) passkeys.push(passkey.data);
    else throw new Error(String(at + 1));
  }
  return { servers, passkeys };
}

/** Verifies the receipt of each commit in a range, from a clone and these keys alone. */
export async function verifyCommits(
  folder: string,
  range: string,
  { keys, requirePasskey }: { keys: ReturnType<typeof readCommitKeys>; requirePasskey: boolean },
): Promise<VerifiedCommit[]> {
  const git = async (...words: string[]): Promise<string> =>
    (await run('git', ['--no-replace-objects', ...words], { cwd: folder, maxBuffer: 256 * 1024 ** 2 })).stdout;
  const listed = await git(
    'log',
    '-z',
    '--reverse',
    '--no-show-signature',
    '--format=%H %s',
    '--end-of-options',
    range,
    '--',
  );
  const commits = listed.split('\0').filter((line) => line !== '');
  const notes = await readNotes(git);
  const verified: VerifiedCommit[] = [];
  // One process at a time: a range can have thousands of commits.
  for (const line of commits) {
    const commit = line.split(' ', 1)[0] ?? '';
    const subject = line.slice(commit.length + 1);
    const note = notes.get(commit);
    const verdict =
      note === undefined
        ? { problem: 'missing' as const }
        : judge(await git('cat-file', 'blob', note), commit, { keys, requirePasskey });
    verified.push({ commit, subject, ...verdict });
  }
  return verified;
}

/** The note of each commit. A clone without the notes has none. */
async function readNotes(git: (...words: string[]) => Promise<string>): Promise<Map<string, string>> {
  const refs = await git('for-each-ref', '--format=%(objectname)', RECEIPTS_REF);
  if (refs.trim() === '') return new Map();
  const lines = (await git('notes', '--ref', RECEIPTS_REF, 'list')).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [note, commit] = line.split(' ');
      return note === undefined || commit === undefined ? [] : [[commit, note] as const];
    }),
  );
}

function judge(
  note: string,
  commit: string,
  { keys, requirePasskey }: { keys: ReturnType<typeof readCommitKeys>; requirePasskey: boolean },
): { problem: CommitProblem } | { receipt: CommitReceipt } {
  const signed = signedReceiptSchema.safeParse(parse(note));
  if (!signed.success) return { problem: 'malformed' };
  const { payload, key, signature } = signed.data;
  const server = keys.servers.find(({ id }) => id === key);
  if (server === undefined) return { problem: 'unknown-key' };
  if (!isSignedBy(server, payload, signature)) return { problem: 'wrong-signature' };
  const read = commitReceiptSchema.safeParse(parse(payload));
  if (!read.success) return { problem: 'malformed' };
  if (read.data.commit !== commit) return { problem: 'other-commit' };
  return requirePasskey && !hasPasskey(read.data, keys.passkeys) ? { problem: 'no-passkey' } : { receipt: read.data };
}

function isSignedBy({ publicKey }: PinnedServer, payload: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return (
      key.asymmetricKeyType === 'ed25519' && verify(null, signedText(payload), key, Buffer.from(signature, 'base64'))
    );
  } catch {
    return false;
  }
}

/** A pinned passkey has signed exactly this change, as one of its signers. */
function hasPasskey({ passkeys, change, signers }: CommitReceipt, pinned: readonly PinnedPasskey[]): boolean {
  return passkeys.some((receipt) => {
    const verdict = verifyReceipt(receipt, pinned);
    if (!verdict.ok || receipt.signed.effect !== change || receipt.signed.decision !== 'approve') return false;
    return signers.some(({ kind, id }) => kind === 'person' && id === verdict.passkey.person);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
