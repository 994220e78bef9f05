import { verify, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { claimText, signedHeadSchema, type SignedHead } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { keyId } from './audit-key.js';
import { auditWords as words } from '../words/audit.js';

/** Reads the heads in a file and checks their signatures. One invalid head rejects the whole file. */
export function readHeads(file: string, keys: readonly KeyObject[]): SignedHead[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw failed(words.cannotReadHeads(file), cause);
  }
  const known = new Map(keys.map((key) => [keyId(key), key]));
  const heads = linesOf(text).map(({ line, number }) => {
    const where = `${file}, line ${number}`;
    const head = parseHead(line, where);
    checkSignature(head, known, where);
    return head;
  });
  if (heads.length === 0) throw failed(words.noHeads(file));
  return heads;
}

/** One JSON document, possibly spanning several lines, or one per line. */
function linesOf(text: string): { line: string; number: number }[] {
  if (isJson(text)) return [{ line: text, number: 1 }];
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseHead(line: string, where: string): SignedHead {
  const read = isJson(line) ? signedHeadSchema.safeParse(JSON.parse(line)) : undefined;
  if (read?.success === true) return read.data;
  const issue = read?.error.issues[0];
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  const why = issue === undefined ? '' : ` (${path}${issue.message})`;
  throw failed(words.notAHead(where, why));
}

function checkSignature(head: SignedHead, keys: ReadonlyMap<string, KeyObject>, where: string): void {
  const { signature, ...claim } = head;
  if (signature === null) {
    if (keys.size === 0) return;
    throw failed(words.unsignedHead(where));
  }
  const key = keys.get(signature.key);
  if (key === undefined) {
    throw failed(words.unknownKey(where, signature.key));
  }
  const isSigned = verify(
    null,
    Buffer.from(claimText(claim, signature.key)),
    key,
    Buffer.from(signature.value, 'base64'),
  );
  if (!isSigned) throw failed(words.changedHead(where));
}

function failed(message: string, cause?: unknown): CommandError {
  return new CommandError(message, EXIT.failed, cause);
}
