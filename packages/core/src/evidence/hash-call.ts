import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { CallSandbox, ToolDefinition } from '@countersign/protocol';
import { createMemo } from '../masking/create-memo.js';
import { canonicalJson } from '../policy/index.js';
import type { RegisteredTool } from '../ports/index.js';

/** Everything that an approval covers (CALL7). */
export interface SignedParts {
  readonly agentId: string;
  readonly chatId: string;
  /** The result of `toolDigest`. */
  readonly tool: string;
  readonly toolName: string;
  /** Exactly the text that is stored and run. */
  readonly argumentsText: string;
  /** The real path, with symlinks resolved. */
  readonly workingDirectory: string;
  readonly sandbox: CallSandbox;
  /** For file writes: a fingerprint of the old content. */
  readonly fingerprint?: string;
}

/**
 * HMAC-SHA-256 over the parts as one JSON array, so that no text can move between parts. Keyed, so that an attacker who can write rows
 * or guess arguments can't create or test a hash.
 */
export function callHash(key: Uint8Array, parts: SignedParts): string {
  if (key.length === 0) throw new TypeError('a call hash needs a key');
  const { agentId, chatId, tool, toolName, argumentsText, workingDirectory, sandbox, fingerprint } = parts;
  const text = JSON.stringify([
    'countersign.call.1',
    agentId,
    chatId,
    tool,
    toolName,
    argumentsText,
    workingDirectory,
    sandboxText(sandbox),
    fingerprint ?? null,
  ]);
  return keyedHash(key, text);
}

const sandboxTexts = new WeakMap<CallSandbox, string>();

/** Cached, because most calls in a world share one sandbox. */
function sandboxText(sandbox: CallSandbox): string {
  const known = sandboxTexts.get(sandbox);
  if (known !== undefined) return known;
  const text = canonicalJson(sandbox);
  if (typeof sandbox === 'object') sandboxTexts.set(sandbox, text);
  return text;
}

/**
 * The hash that an approved call is stored with: it also covers the rules that said who must sign. If these change before the call starts, the
 * approval no longer applies (SIGN1).
 */
export function approvedHash(key: Uint8Array, callHash: string, rules: readonly { readonly rule: string }[]): string {
  if (rules.length === 0) return callHash;
  return keyedHash(
    key,
    JSON.stringify(['countersign.signed.1', callHash, ...rules.map(({ rule }) => rule).toSorted()]),
  );
}

const digests = new WeakMap<RegisteredTool, string>();

/** Cached. Empty if the world has no such tool. */
export function digestOf(tool: RegisteredTool | undefined): string {
  if (tool === undefined) return '';
  const digest = digests.get(tool) ?? toolDigest(tool.definition);
  digests.set(tool, digest);
  return digest;
}

/** A hash of the whole definition, so that an approval for the old tool doesn't run the new one. */
export function toolDigest(definition: ToolDefinition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** Cache size, in characters. */
const MAX_REMEMBERED = 1024 * 1024;
const hashers = new WeakMap<Uint8Array, (text: string) => string>();

/**
 * HMAC-SHA-256 of a text, in hex. Importing a raw key takes Node 24 seven times as long as the hash, so keys are cached. A call is signed when it
 * is shown, approved and started, so the latest hashes are cached too.
 */
export function keyedHash(key: Uint8Array, text: string): string {
  let hash = hashers.get(key);
  if (hash === undefined) {
    const imported = createSecretKey(key);
    hash = createMemo(MAX_REMEMBERED, (text) => createHmac('sha256', imported).update(text).digest('hex'));
    hashers.set(key, hash);
  }
  return hash(text);
}
