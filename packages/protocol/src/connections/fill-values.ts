import type { McpServerDefinition } from './mcp-servers.js';

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const SHELL = /(?:^|\/)(?:ba|da|z|k|fi)?sh$/;

/**
 * Replaces `${NAME}` in the arguments with the variable of that name, and in the path and query of the URL with the header of that name,
 * which is then not sent as a header (MCP2.2). Only for the start of a server: the result contains secrets.
 */
export function fillValues(definition: McpServerDefinition): McpServerDefinition {
  if (definition.transport === 'stdio') {
    const { command, args, env } = definition;
    // A shell expands the variables itself. A value inside its script could run as code.
    if (isShellScript(command, args)) return definition;
    return { ...definition, args: args.map((arg) => fill(arg, env, (value) => value)) };
  }
  const { url, headers } = definition;
  // Never fills the host: it decides who receives the values.
  const [, origin, rest] = /^(https?:\/\/[^/?#\\]+)([^]*)$/i.exec(url) ?? [];
  if (origin === undefined || rest === undefined) return definition;
  const used = new Set([...rest.matchAll(PLACEHOLDER)].map(([, name]) => name));
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !used.has(name)));
  return { ...definition, url: `${origin}${fill(rest, headers, encodeURIComponent)}`, headers: sent };
}

/** Whether the arguments contain a script for a shell, as in `sh -c '…'`. */
export function isShellScript(command: string, args: readonly string[]): boolean {
  return SHELL.test(command) && args.some((arg) => /^-[a-z]*c[a-z]*$/.test(arg));
}

function fill(text: string, values: Readonly<Record<string, string>>, encode: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? encode(values[name] ?? '') : whole,
  );
}
