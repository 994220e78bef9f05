import { createHash } from 'node:crypto';
import { toolNameSchema } from '@countersign/protocol';

/** The maximum name length that vendors accept (`toolNameSchema`). */
const LONGEST = 64;
const MARK_LENGTH = 8;

/**
 * `mcp__{server}__{tool}`. A name that vendors would reject is truncated and gets a hash of the full name as its suffix. It must be stable:
 * otherwise, a grant given today would apply to another tool tomorrow.
 */
export function toolName(server: string, tool: string): string {
  const prefix = namePrefix(server);
  const plain = `${prefix}${tool}`;
  if (toolNameSchema.safeParse(plain).success) return plain;
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, MARK_LENGTH);
  const kept = tool.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, LONGEST - prefix.length - MARK_LENGTH - 1);
  return `${prefix}${kept}_${mark}`;
}

export function namePrefix(server: string): string {
  return `mcp__${server}__`;
}

/** The server that a tool name belongs to. Server names contain no underscore. */
export function serverOf(name: string): string | undefined {
  return /^mcp__([^_]+)__/.exec(name)?.[1];
}

/** Whether a pattern in an agent's list could match a tool from this server. A false positive only starts a server unnecessarily. */
export function mayName(pattern: string, server: string): boolean {
  const prefix = namePrefix(server);
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(prefix);
  const fixed = pattern.slice(0, star);
  return prefix.startsWith(fixed) || fixed.startsWith(prefix);
}
