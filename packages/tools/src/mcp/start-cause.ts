import { isIPv4 } from 'node:net';
import { basename } from 'node:path';
import type { McpCause, McpServerDefinition } from '@countersign/protocol';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { RefusedHost } from '../web/network.js';

/** Programs that download a package and run it. */
const RUNNERS = ['npx', 'pnpx', 'bunx', 'uvx'];
/** Programs with subcommands that do the same. */
const RUNNING_SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['run', 'tool'],
  pipx: ['run'],
};

/** `npx`, `npm exec`, …, if the command downloads the package that it runs. */
export function packageRunner(command: string, args: readonly string[]): string | undefined {
  const program = basename(command).replace(/\.(?:exe|cmd)$/i, '');
  if (RUNNERS.includes(program)) return program;
  const subcommand = args.find((word) => !word.startsWith('-')) ?? '';
  return RUNNING_SUBCOMMANDS[program]?.includes(subcommand) === true ? `${program} ${subcommand}` : undefined;
}

/** Thrown if a server neither responded nor ended. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

interface Start {
  readonly definition: McpServerDefinition;
  readonly sandbox: Sandbox;
  /** Addresses that the sandbox blocked during this attempt. */
  readonly refused: readonly RefusedHost[];
  /** Whether the server neither responded nor ended, like programs that wait for a network. */
  readonly isSilent: boolean;
}

/** The sandbox restriction that probably prevents a server from starting, if any. */
export function startCause({ definition, sandbox, refused, isSilent }: Start): McpCause | undefined {
  if (definition.transport !== 'stdio' || sandbox.kind === 'none') return undefined;
  if (!definition.network) {
    const runner = packageRunner(definition.command, definition.args);
    if (runner !== undefined) return { code: 'no-network', runner };
    return isSilent ? { code: 'no-network' } : undefined;
  }
  // The lookup of a name is followed by a connection, which also has the port.
  const [first] = refused.toSorted((a, b) => Number(a.port === undefined) - Number(b.port === undefined));
  if (first === undefined) return undefined;
  const rule = isIPv4(first.address)
    ? { rule: `allow sandbox_network(${first.address}:${first.port ?? 'PORT'})` }
    : undefined;
  return { code: 'refused-host', ...first, ...rule };
}
