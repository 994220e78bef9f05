import { createHash } from 'node:crypto';
import { CountersignError } from '@countersign/protocol';
import type { AgentRecord, McpServerWithTools, WorldRecord } from '../ports/index.js';
import { keyedHash } from '../evidence/hash-call.js';
import { canonicalJson } from '../policy/index.js';

/** The versions that a writer has seen, `*` for any version, or undefined to skip the check (HTTP15). */
export type Expected = readonly string[] | '*' | undefined;

/** A content hash: the same content always has the same version. */
function versionOf(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('base64url').slice(0, 22);
}

export function worldVersion({ name, settings }: Pick<WorldRecord, 'name' | 'settings'>): string {
  return versionOf({ name, settings });
}

export function policyVersion({ policy, proposed }: Pick<WorldRecord, 'policy' | 'proposed'>): string {
  return versionOf({ policy, proposed });
}

/** Keyed: with a plain hash, anyone who reads the version could guess secrets in the definition. */
export function agentVersion(key: Uint8Array, { definition }: Pick<AgentRecord, 'definition'>): string {
  return short(keyedHash(key, canonicalJson(definition)));
}

export function mcpServerVersion(key: Uint8Array, { server, tools }: McpServerWithTools): string {
  const said = tools.map(({ name, seenDigest, acceptedDigest }) => [name, seenDigest, acceptedDigest]);
  const content = canonicalJson({ definition: server.definition, sealed: server.sealed, said });
  return short(keyedHash(key, content));
}

/** Must run in the writing transaction: otherwise, two concurrent writers could both pass the check, and the second would undo the first. */
export function refuseStale(current: string, expected: Expected, what: string): void {
  if (expected === undefined || expected === '*' || expected.includes(current)) return;
  throw new CountersignError('stale', `${what} changed after you read it. Read it again, then make your change.`);
}

function short(hash: string): string {
  return Buffer.from(hash, 'hex').toString('base64url').slice(0, 22);
}
