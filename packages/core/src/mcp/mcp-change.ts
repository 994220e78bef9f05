import {
  CountersignError,
  newMcpServerSchema,
  parseInput,
  type McpServerChange,
  type McpServerDefinition,
} from '@countersign/protocol';
import { reveal } from '../masking/index.js';
import { maskArgs, showDefinition } from './mcp-show.js';

/**
 * Applies a partial change to a server. Masked arguments that are sent back unchanged keep their values, and `null` keeps the value of a variable or
 * header, because these values are never shown. Rejects the other transport's fields.
 */
export function applyChange(
  definition: McpServerDefinition,
  change: Omit<McpServerChange, 'accept'>,
): McpServerDefinition {
  const { args, url, command, env, headers, ...plain } = change;
  const shown = showDefinition(definition);
  const isStdio = definition.transport === 'stdio';
  const foreign = isStdio ? { url, headers } : { command, args, env, network: plain.network, folders: plain.folders };
  const misplaced = Object.entries(foreign).find(([, value]) => value !== undefined)?.[0];
  if (misplaced !== undefined) {
    const sentence = `MCP server: ${misplaced}: not supported by ${definition.transport} servers`;
    throw new CountersignError('invalid', sentence, { field: misplaced });
  }
  const merged = isStdio
    ? {
        ...definition,
        ...plain,
        ...(command === undefined || command === shown.command ? {} : { command }),
        ...(args === undefined ? {} : { args: revealArgs(definition.args, args) }),
        ...(env === undefined ? {} : { env: mergeValues(definition.env, env, 'env') }),
      }
    : {
        ...definition,
        ...plain,
        ...(url === undefined || url === shown.url ? {} : { url }),
        ...(headers === undefined ? {} : { headers: mergeValues(definition.headers, headers, 'headers') }),
      };
  const changed = parseInput(newMcpServerSchema, merged, 'MCP server');
  refuseOtherTarget(definition, changed, change);
  return changed;
}

/**
 * Rejects a change to the program or origin that keeps secret values: otherwise, anyone who can edit a server could send them elsewhere. The
 * arguments are part of the program: `npx` runs the package that they name.
 */
function refuseOtherTarget(before: McpServerDefinition, after: McpServerDefinition, change: McpServerChange): void {
  if (targetOf(before) === targetOf(after)) return;
  const isStdio = before.transport === 'stdio';
  const [field, stored, sent] = isStdio ? ['env', before.env, change.env] : ['headers', before.headers, change.headers];
  const kept = Object.keys(stored).find((name) => stored[name] !== '' && (sent === undefined || sent[name] === null));
  if (kept === undefined) return;
  const why = isStdio ? 'because a different command would receive it' : 'because it would be sent to another server';
  throw new CountersignError('invalid', `MCP server: ${field}.${kept}: enter the value again, ${why}`, {
    field: `${field}.${kept}`,
  });
}

function targetOf(definition: McpServerDefinition): string {
  return definition.transport === 'stdio'
    ? JSON.stringify([definition.command, ...definition.args])
    : new URL(definition.url).origin;
}

function revealArgs(stored: readonly string[], sent: readonly string[]): readonly string[] {
  const { value: shown, secrets } = maskArgs(stored);
  if (JSON.stringify(shown) === JSON.stringify(sent)) return stored;
  const revealed = reveal(sent, secrets);
  if (revealed.ok) return revealed.value as string[];
  const sentence = `MCP server: args: ${revealed.unknown} is an unknown placeholder. Enter the value itself`;
  throw new CountersignError('invalid', sentence, { field: 'args' });
}

function mergeValues(
  stored: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string | null>>,
  field: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      if (value !== null) return [name, value];
      const kept = Object.hasOwn(stored, name) ? stored[name] : undefined;
      if (kept === undefined) {
        const sentence = `MCP server: ${field}.${name}: there is no stored value to keep. Enter a value`;
        throw new CountersignError('invalid', sentence, { field: `${field}.${name}` });
      }
      return [name, kept];
    }),
  );
}
