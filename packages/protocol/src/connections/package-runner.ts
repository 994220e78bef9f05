import type { McpNetwork } from './mcp-servers.js';

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
const PYTHON_RUNNER = /^(?:uvx?|pipx)\b/;
export const NPM_REGISTRY = 'registry.npmjs.org';

/** `npx`, `npm exec`, …, if the command downloads the package that it runs. */
export function packageRunner(command: string, args: readonly string[]): string | undefined {
  const program = command.replace(/^.*\//, '').replace(/\.(?:exe|cmd)$/i, '');
  if (RUNNERS.includes(program)) return program;
  const subcommand = args.find((word) => !word.startsWith('-')) ?? '';
  return RUNNING_SUBCOMMANDS[program]?.includes(subcommand) === true ? `${program} ${subcommand}` : undefined;
}

/** How long a server may take to start and answer. */
const START_MS = 30_000;
/** How much longer if a package runner downloads it first. */
const DOWNLOAD_MS = 120_000;

interface Started {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly network?: McpNetwork | undefined;
}

/** The package runner that may download this server before it starts, if any. */
export function downloadingRunner({ command, args, network = false }: Started): string | undefined {
  return command === undefined || network === false ? undefined : packageRunner(command, args ?? []);
}

/** How long this server may take to start (MCP3.3). */
export function startTimeout(server: Started, startMs = START_MS): number {
  return startMs + (downloadingRunner(server) === undefined ? 0 : DOWNLOAD_MS);
}

/** The hosts that a package runner downloads from. `registry`: the URL of npm's registry, if it isn't the default. */
export function packageHosts(runner: string, registry?: string): string[] {
  if (PYTHON_RUNNER.test(runner)) return ['pypi.org', 'files.pythonhosted.org'];
  return [/^https?:\/\/([a-z0-9.-]+)(?=[/:]|$)/i.exec(registry ?? '')?.[1] ?? NPM_REGISTRY];
}
