import { spawn } from 'node:child_process';
import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { claimText, withoutSecrets, type AuditClaim, type SignedHead } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { keyId, readPrivateKey, readPublicKey } from './audit-key.js';
import { auditWords as words } from '../words/audit.js';

/**
 * The source of the key for audit heads (LOG1). With a command, the key never enters this process, for example if a key management service holds
 * it.
 */
type KeySource =
  | { kind: 'none' }
  | { kind: 'file'; path: string }
  | { kind: 'command'; command: string; publicKey: string };

type Signer =
  | { kind: 'none' }
  | { kind: 'key'; id: string; publicKey: KeyObject; sign: (text: string) => Promise<Buffer> };

const COMMAND_MS = 60_000;
/** An Ed25519 signature is 88 characters of base64. */
const MAX_ANSWERED = 1_000;

function readKeySource(env: NodeJS.ProcessEnv): KeySource {
  const [path = '', command = '', publicKey = ''] = [
    env['COUNTERSIGN_AUDIT_KEY'],
    env['COUNTERSIGN_AUDIT_COMMAND'],
    env['COUNTERSIGN_AUDIT_PUBLIC_KEY'],
  ];
  if (path !== '' && command !== '') {
    throw failed(words.twoKeys);
  }
  if (path !== '') return { kind: 'file', path };
  if (command === '') return { kind: 'none' };
  if (publicKey === '') {
    throw failed(words.noPublicKey);
  }
  return { kind: 'command', command, publicKey };
}

export function openSigner(env: NodeJS.ProcessEnv, home: string, commandMs: number = COMMAND_MS): Signer {
  const source = readKeySource(env);
  switch (source.kind) {
    case 'none':
      return source;
    case 'file': {
      const key = readPrivateKey(source.path, home);
      const publicKey = createPublicKey(key);
      return { kind: 'key', id: keyId(publicKey), publicKey, sign: async (text) => sign(null, Buffer.from(text), key) };
    }
    case 'command': {
      const publicKey = readPublicKey(source.publicKey);
      const ask = (text: string): Promise<Buffer> => askCommand(source.command, text, env, commandMs);
      return { kind: 'key', id: keyId(publicKey), publicKey, sign: ask };
    }
  }
}

/** Signs a claim and verifies the signature. */
export async function signHead(claim: AuditClaim, signer: Signer): Promise<SignedHead> {
  if (signer.kind === 'none') return { ...claim, signature: null };
  const text = claimText(claim, signer.id);
  const value = await signer.sign(text);
  if (!verify(null, Buffer.from(text), signer.publicKey, value)) {
    throw failed(words.wrongSignature(signer.id));
  }
  return { ...claim, signature: { key: signer.id, value: value.toString('base64') } };
}

/** Passes the text to a command on standard input; the command prints the signature in base64. */
async function askCommand(command: string, text: string, env: NodeJS.ProcessEnv, commandMs: number): Promise<Buffer> {
  const child = spawn('/bin/sh', ['-c', command], {
    env: withoutSecrets(env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // A command that ignores its input closes the pipe; only its output matters.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (answer.length <= MAX_ANSWERED) answer += part;
  });
  let timer: NodeJS.Timeout | undefined;
  const ended = await new Promise<string | undefined>((resolve) => {
    // A child of the command may keep its output open: killing only the command would not end the wait.
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      resolve(words.commandTimeout(commandMs / 1000));
    }, commandMs);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : words.commandEnded(code, signal)));
  });
  clearTimeout(timer);
  if (ended !== undefined) throw failed(words.commandFailed(ended));
  const signature = answer.trim();
  if (/^[A-Za-z0-9+/]{86}==$/.test(signature)) return Buffer.from(signature, 'base64');
  throw failed(words.noSignature);
}

function failed(message: string): CommandError {
  return new CommandError(message, EXIT.failed);
}
