import {
  type AgentDefinition,
  isRule,
  type McpServerDefinition,
  type WorldMode,
  type WorldSettings,
} from '@countersign/protocol';
import { parseRule } from '../rules/parse-rule.js';

/** A change that someone with a stolen token could use to run a call without the passkey that a rule requires. */
export type PossibleWeakening =
  /** New rules for a world or an agent. For an agent that is removed: none. */
  | { kind: 'rules'; before: readonly string[]; after: readonly string[] }
  | { kind: 'world-deleted' }
  /** Something that could read credentials and sign calls of every world. */
  | { kind: 'lets-sign' }
  | { kind: 'settings'; before: WorldSettings; after: WorldSettings }
  /** Another world that would work in a folder that the rules' world has taken, above it or below it. Both are real paths. */
  | { kind: 'folder-shared'; folder: string; taken: string }
  /** A server that is added has no definition before. */
  | { kind: 'mcp-server'; before: McpServerDefinition | undefined; after: McpServerDefinition }
  /** An agent that is added has no definition before. */
  | { kind: 'agent-program'; before: AgentDefinition | undefined; after: AgentDefinition };

/**
 * The first rule `with passkey` that a change would weaken (SIGN2.5, SIGN2.6, SIGN2.7). Undefined if it weakens none. `inForce`: the rules that apply in the
 * world, for changes other than to rules.
 */
export function weakenedPasskeyRule(change: PossibleWeakening, inForce: readonly string[]): string | undefined {
  switch (change.kind) {
    case 'rules':
      return change.before.find((rule) => requiresPasskey(rule) && !change.after.includes(rule));
    case 'world-deleted':
    case 'lets-sign':
      return inForce.find(requiresPasskey);
    case 'settings':
      return widens(change) ? inForce.find(requiresPasskey) : undefined;
    case 'folder-shared':
      return overlap(change.folder, change.taken) ? inForce.find(requiresPasskey) : undefined;
    case 'mcp-server':
      return startsMore(change) ? inForce.find(requiresPasskey) : undefined;
    case 'agent-program':
      return runsAnother(change) ? inForce.find(requiresPasskey) : undefined;
  }
}

const RANKS: Readonly<Record<WorldMode, number>> = { read: 0, ask: 1, auto: 2 };

/** In another folder, a rule about `./prod` covers other files. A higher mode runs more without approval. */
function widens({ before, after }: { before: WorldSettings; after: WorldSettings }): boolean {
  return before.workingDirectory !== after.workingDirectory || RANKS[after.mode] > RANKS[before.mode];
}

/** Whether a path is the folder or inside it, as text. */
export function contains(folder: string, path: string): boolean {
  const asFolder = (text: string): string => (text.endsWith('/') ? text : `${text}/`);
  return asFolder(path).startsWith(asFolder(folder));
}

export function overlap(one: string, other: string): boolean {
  return contains(one, other) || contains(other, one);
}

/** A server starts a program without approval, and offers tools under names that a rule may not cover. Turning one off is always safe. */
function startsMore({
  before,
  after,
}: {
  before: McpServerDefinition | undefined;
  after: McpServerDefinition;
}): boolean {
  if (before === undefined) return true;
  const connectionOf = ({ enabled: _enabled, trusted: _trusted, ...connection }: McpServerDefinition): string =>
    JSON.stringify(connection);
  return (
    connectionOf(before) !== connectionOf(after) ||
    (after.enabled && !before.enabled) ||
    (after.trusted && !before.trusted)
  );
}

/** The program of an ACP agent runs outside any sandbox (EXT3). Turning it off is always safe. */
function runsAnother({ before, after }: { before: AgentDefinition | undefined; after: AgentDefinition }): boolean {
  if (after.acp === undefined || !after.active) return false;
  return before?.active !== true || JSON.stringify(before.acp) !== JSON.stringify(after.acp);
}

function requiresPasskey(rule: string): boolean {
  const parsed = isRule(rule) ? parseRule(rule) : undefined;
  return parsed?.ok === true && parsed.rule.by?.passkey === true;
}
