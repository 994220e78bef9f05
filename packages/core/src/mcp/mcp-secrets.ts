import type { McpServerDefinition } from '@countersign/protocol';
import type { McpServerRecord, McpSignIn, SecretBox } from '../ports/index.js';

type Values = Record<string, string>;
type Stored = Pick<McpServerRecord, 'definition' | 'sealed'>;
type SignedIn = Pick<McpServerRecord, 'worldId' | 'definition' | 'signIn'>;

/**
 * Prepares a definition for the store: the values of its variables or headers are encrypted (MCP2). Without a secret box, they are stored in
 * plain text.
 */
export function sealDefinition(box: SecretBox | undefined, worldId: string, definition: McpServerDefinition): Stored {
  const values = valuesOf(definition);
  if (box === undefined || !hasValues(values)) return { definition, sealed: null };
  const sealed = box.seal(JSON.stringify(values), purposeOf(worldId, definition));
  const emptied = Object.fromEntries(Object.keys(values).map((name) => [name, '']));
  return { definition: withValues(definition, emptied), sealed };
}

export type OpenedDefinition = { ok: true; definition: McpServerDefinition } | { ok: false; problem: string };

export function openDefinition(
  box: SecretBox | undefined,
  { worldId, definition, sealed }: Pick<McpServerRecord, 'worldId' | 'definition' | 'sealed'>,
): OpenedDefinition {
  if (sealed === null) return { ok: true, definition };
  if (box === undefined) return { ok: false, problem: "can't be decrypted by this process, which has no secrets key" };
  const opened = box.unseal(sealed, purposeOf(worldId, definition));
  if (!opened.ok) return opened;
  return { ok: true, definition: withValues(definition, JSON.parse(opened.value) as Values) };
}

/** Whether a process without a secrets key stored the values. */
export function isInClear({ definition, sealed }: Stored): boolean {
  return sealed === null && hasValues(valuesOf(definition));
}

/** Encrypts a sign-in for the store (MCP4). */
export function sealSignIn(box: SecretBox, server: Omit<SignedIn, 'signIn'>, signIn: McpSignIn): string {
  return box.seal(JSON.stringify(signIn), signInPurpose(server));
}

/** Undefined if there is no sign-in. `unreadable` if it can't be decrypted, for example after a change in the database. */
export function openSignIn(box: SecretBox | undefined, server: SignedIn): McpSignIn | 'unreadable' | undefined {
  if (server.signIn === null) return undefined;
  const opened = box?.unseal(server.signIn, signInPurpose(server));
  return opened?.ok === true ? (JSON.parse(opened.value) as McpSignIn) : 'unreadable';
}

/** Includes the whole URL: the tokens must not reach another server. */
function signInPurpose({ worldId, definition }: Omit<SignedIn, 'signIn'>): string[] {
  return ['mcp sign-in', worldId, definition.name, definition.transport === 'http' ? definition.url : ''];
}

/** Includes the program or origin: someone who changes it in the database must not receive the values. */
function purposeOf(worldId: string, definition: McpServerDefinition): string[] {
  const target =
    definition.transport === 'stdio'
      ? JSON.stringify([definition.command, ...definition.args])
      : new URL(definition.url).origin;
  return ['mcp server', worldId, definition.name, definition.transport, target];
}

function valuesOf(definition: McpServerDefinition): Values {
  return definition.transport === 'stdio' ? definition.env : definition.headers;
}

function withValues(definition: McpServerDefinition, values: Values): McpServerDefinition {
  return definition.transport === 'stdio' ? { ...definition, env: values } : { ...definition, headers: values };
}

function hasValues(values: Values): boolean {
  return Object.values(values).some((value) => value !== '');
}
