import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ProtectedPaths, McpPlace } from '@countersign/core/ports';
import { packageRunner, type McpNetwork, type McpServerDefinition } from '@countersign/protocol';
import { isInside, systemProgram } from '@countersign/changes';
import { confine, type Confined } from '../../sandbox/confine.js';
import type { Outside } from '../../sandbox/gateway/gateway.js';
import { LISTEN_DIRECTLY } from '../../sandbox/gateway/listen-scripts.js';
import { limitHosts } from '../../sandbox/gateway/limit-hosts.js';
import { takeListeners } from '../../sandbox/gateway/take-listeners.js';
import { checkWorkingFolder, findHidden } from '../../sandbox/find-hidden.js';
import { explainHidden, explainHome } from '../../sandbox/programs/explain-hidden.js';
import { isLedOut, isReserved, openFolders } from '../../sandbox/open-folders.js';
import { programsFor } from '../../sandbox/programs/programs-for.js';
import type { Confinement, NetworkAccess, Sandbox } from '../../sandbox/sandbox.js';
import { cleanEnvironment } from '../../shell/clean-environment.js';
import { trustedFolders } from '../../shell/trusted-folders.js';
import { endProgram, exitOf, MARK, startWatchdog } from '../../shell/watchdog.js';
import type { RefusedHost } from '../../web/network.js';

export type StdioDefinition = Extract<McpServerDefinition, { transport: 'stdio' }>;

export interface ProcessPlace {
  sandbox: Sandbox;
  /** Our home folder, store and policy. */
  hide: readonly string[];
  /** Folders in the user's home folder that servers may read, such as a Node.js installation. */
  show: readonly string[];
  /** Working folders of all worlds; see `ShellOptions`. */
  writable?: () => Promise<readonly string[]>;
  workingDirectory: string;
  protectedPaths?: ProtectedPaths;
  grants?: McpPlace['grants'];
  /** Called for each address that the sandbox blocked. */
  onRefused?: (refused: RefusedHost) => void;
  /** Called for each host that is not in the server's list. */
  onUnlisted?: (host: string) => void;
  /** The person's npm registry, for package runners. */
  registry?: string | undefined;
  /** Replaces the network in tests. */
  outside?: Outside;
}

export interface ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the process ended, as text. */
  readonly exited: Promise<string>;
  /** Files hidden by the sandbox that the server needed or reported as missing. Shown to a person if the server failed. */
  hints(said: string): readonly string[];
  /** Ends the server and its children, killing them if necessary. Resolves when all of them are dead and cleaned up. */
  end(): Promise<void>;
}

/**
 * Variables that affect every program, including ours around the sandbox: loader variables, and variables that a shell executes (`SHELLOPTS`
 * with `PS4`, `BASH_FUNC_…`). Also matches anything that isn't a valid name.
 */
const OUTSIDE_VARIABLE =
  /^(?:LD_|DYLD_|BASH|SHELLOPTS$|PS4$|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$)|^(?![A-Za-z_][A-Za-z0-9_]*$)/;

/**
 * Runs in the sandbox before a server with network access: listens, passes us the socket and closes all other
 * descriptors. The server's own variables must not apply here, while a channel to us is open.
 */
const LISTEN_FIRST = `
NODE_OPTIONS= "$1" -e "$2" || exit 125
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
shift 2
for fd in /dev/fd/*; do
  fd=\${fd##*/}
  [[ $fd == [012] ]] || eval "exec $fd>&-"
done
exec -- "$@"
`;

/**
 * Starts a server in the sandbox with only its declared environment (SAFE1). Rejects with a readable error if nothing was
 * started.
 */
export async function startServerProcess(definition: StdioDefinition, place: ProcessPlace): Promise<ServerProcess> {
  const outside = Object.keys(definition.env).find((name) => OUTSIDE_VARIABLE.test(name));
  if (outside !== undefined)
    throw new Error(`the variable ${outside.slice(0, 100)} would take effect outside the sandbox; remove it`);
  const temporary = await mkdtemp(join(await realpath(tmpdir()), 'countersign-mcp-'));
  let confined: Confined | undefined;
  const tidy = async (): Promise<void> => {
    await confined?.release();
    await rm(temporary, { recursive: true, force: true });
  };
  try {
    confined = await confinedBy(place, temporary, definition);
    return await start(definition, place, confined, temporary, tidy);
  } catch (error) {
    await tidy();
    throw error;
  }
}

async function confinedBy(
  place: ProcessPlace,
  temporary: string,
  { network, folders = [] }: StdioDefinition,
): Promise<Confined | undefined> {
  const confinement = await confinementFor(place, network);
  if (place.sandbox.kind !== 'none') {
    const writable = await writableOf(place);
    const show = [...confinement.show, ...(await ownFolders(folders, confinement, writable))];
    const programs = programsFor(confinement, writable);
    return await confine(place.sandbox, { ...confinement, show, programs }, temporary);
  }
  checkWorkingFolder(confinement);
  return undefined;
}

/** Real paths of the folders that the server's definition opens. Throws a readable error if one can't be opened. */
async function ownFolders(
  folders: readonly string[],
  confinement: Confinement,
  writable: readonly string[],
): Promise<string[]> {
  const opened: string[] = [];
  for (const folder of folders) {
    const full = folder.replace(/^~(?=\/)/, confinement.home);
    const path = await realpath(full).catch(() => undefined);
    if (path === undefined) throw new Error(`the folder ${folder}, which it may read, does not exist`);
    const isClosed = confinement.protectedPaths?.isProtected(path) === true;
    if (isClosed || isReserved(path, confinement) || (await isLedOut(full, path, writable)))
      throw new Error(
        `it may not read ${folder}: the folder is denied by a rule, contains files of Countersign, or is a link in a working folder`,
      );
    opened.push(path);
  }
  return opened;
}

/** Whether this sandbox can limit a program to some hosts. */
export function canLimitHosts({ kind }: Sandbox): boolean {
  return kind === 'bubblewrap';
}

/** Outside Linux and without a sandbox, a program has full network access or none. Throws rather than ignore a list of hosts (MCP3). */
export function networkOf(sandbox: Sandbox, wanted: McpNetwork): NetworkAccess {
  if (wanted === false) return 'none';
  if (canLimitHosts(sandbox)) return 'direct';
  if (wanted === true) return 'host';
  if (sandbox.kind === 'none')
    throw new Error(
      `without a sandbox, a server can't be limited to hosts (${sandbox.reason}). Install the sandbox, or allow the whole network`,
    );
  throw new Error(
    "with the sandbox of this machine, a server can't be limited to hosts. Allow it the whole network, or no network",
  );
}

/** The network outside the sandbox, limited to the hosts that a server may reach. */
function outsideFor({ outside, onUnlisted }: ProcessPlace, network: McpNetwork): { outside?: Outside } {
  if (typeof network === 'boolean') return outside === undefined ? {} : { outside };
  const mayReach = (host: string): boolean => {
    if (network.hosts.includes(host.toLowerCase())) return true;
    onUnlisted?.(host);
    return false;
  };
  return { outside: limitHosts(mayReach, outside, (host) => `this server may not connect to ${host}`) };
}

/** The folders that agents write to, by their real paths. */
async function writableOf({ workingDirectory, writable }: ProcessPlace): Promise<string[]> {
  return await Promise.all([workingDirectory, ...((await writable?.()) ?? [])].map(real));
}

async function confinementFor(place: ProcessPlace, network: McpNetwork): Promise<Confinement> {
  const home = await real(homedir());
  const hide = await Promise.all(place.hide.map(real));
  const { folders = [], privateHosts = [] } = place.grants ?? {};
  const isClosed = (path: string): boolean => place.protectedPaths?.isProtected(path) === true;
  const writable = await writableOf(place);
  const opened = place.sandbox.kind === 'none' ? [] : await openFolders(folders, { home, hide, writable }, isClosed);
  return {
    workingDirectory: place.workingDirectory,
    home,
    hide,
    show: [...(await Promise.all(place.show.map(real))), ...opened],
    protectedPaths: place.protectedPaths,
    network: networkOf(place.sandbox, network),
    privateHosts,
    ...(place.onRefused === undefined ? {} : { onRefused: place.onRefused }),
    ...outsideFor(place, network),
  };
}

/**
 * The rules' effect on a server started now, as text: what they hide and open. If it changes later, the running server sees too much or too
 * little.
 */
export async function describeView(place: ProcessPlace): Promise<string> {
  if (place.sandbox.kind === 'none') return '';
  const { folders = [], privateHosts = [] } = place.grants ?? {};
  const opened = [...folders, ...privateHosts];
  if (place.protectedPaths === undefined) return opened.join('\0');
  const { hiddenByRules } = await findHidden(await confinementFor(place, false));
  return [...hiddenByRules.toSorted(), ...opened].join('\0');
}

/** For a package runner without network access. Otherwise it retries for minutes, and nobody learns why the server doesn't start. */
const OFFLINE = { npm_config_offline: 'true', UV_OFFLINE: '1', PIP_NO_INDEX: '1' } as const;

async function start(
  { command, args, env, network }: StdioDefinition,
  { workingDirectory, registry }: ProcessPlace,
  confined: Confined | undefined,
  temporary: string,
  tidy: () => Promise<void>,
): Promise<ServerProcess> {
  const contained = confined?.containsProcesses === true;
  const isRunner = packageRunner(command, args) !== undefined;
  const isOffline = confined !== undefined && network === false && isRunner;
  const clean = cleanEnvironment(contained ? '/tmp' : temporary);
  const path = safePath(clean['PATH'] ?? '', workingDirectory);
  const mark = crypto.randomUUID();
  const gateway = confined?.gateway;
  const environment: Record<string, string> = {
    ...clean,
    PATH: path,
    ...confined?.environment,
    ...(isRunner && registry !== undefined ? { npm_config_registry: registry } : {}),
    ...(isOffline ? OFFLINE : {}),
    ...env,
    ...(contained ? {} : { [MARK]: mark }),
  };
  const first = [
    systemProgram('bash'),
    '--noprofile',
    '--norc',
    '-c',
    LISTEN_FIRST,
    'bash',
    process.execPath,
    LISTEN_DIRECTLY,
  ];
  const started = [...(gateway === undefined ? [] : first), command, ...args];
  const [program = command, ...words] =
    // Without `--`, a program named `--bind` would be parsed as a sandbox option and open the sandbox.
    confined === undefined ? started : [confined.program, ...confined.before, '--', ...started];
  const child = spawn(program, words, {
    cwd: workingDirectory,
    env: environment,
    detached: true,
    // The last one is bubblewrap's status pipe.
    stdio: [
      ...(['pipe', 'pipe', 'pipe', 'ignore', contained ? 'pipe' : 'ignore'] as const),
      ...(gateway === undefined ? [] : (['ignore', 'ipc'] as const)),
    ],
  });
  const exited = exitOf(child).then((how) => `it ${how}`);
  const { stdin, stdout, stderr } = child;
  for (const stream of [stdin, stdout, stderr, child.stdio[4]]) stream?.on('error', () => undefined);
  if (contained) (child.stdio[4] as Readable).resume();
  if (child.pid === undefined || stdin === null || stdout === null || stderr === null) throw new Error(await exited);
  const watchdog = contained ? undefined : startWatchdog(child.pid, mark);
  if (gateway !== undefined) {
    const taken = await Promise.race([takeListeners(child, gateway).then(() => true), exited.then(() => false)]);
    if (!taken) throw new Error(`its network could not be set up: ${await exited}`);
  }
  let ending: Promise<void> | undefined;
  const hints = (said: string): readonly string[] =>
    confined === undefined
      ? []
      : [...explainHidden([command, ...args], confined.sees, path), ...explainHome(said, environment['HOME'] ?? '')];
  return {
    stdin,
    stdout,
    stderr,
    exited,
    hints,
    end: () => (ending ??= endProgram(child, exited, watchdog).then(tidy)),
  };
}

/** Excludes folders that agents can write to: programs left there would run with the server's secrets. */
function safePath(path: string, workingDirectory: string): string {
  return trustedFolders(path)
    .filter((folder) => !isInside(workingDirectory, folder))
    .join(delimiter);
}

async function real(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path));
}
