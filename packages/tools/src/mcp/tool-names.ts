import { createHash } from 'node:crypto';
import { toolNameSchema } from '@countersign/protocol';

/** What vendors take as a name (`toolNameSchema`). */
const LONGEST = 64;
const MARK_LENGTH = 8;

/**
 * `mcp__{server}__{tool}`. A name that vendors would not take is cut and ends in a mark made of the whole one: the same each time,
 * or a grant given today would mean another tool tomorrow.
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

/** Whether some tool of this server could be what a pattern of an agent's list names. Too often yes starts a server for nothing. */
export function mayName(pattern: string, server: string): boolean {
  const prefix = namePrefix(server);
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(prefix);
  const fixed = pattern.slice(0, star);
  return prefix.startsWith(fixed) || fixed.startsWith(prefix);
}
