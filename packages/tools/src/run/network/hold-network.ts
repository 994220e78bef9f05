import { spawn, type ChildProcess } from 'node:child_process';
import { Socket as Datagrams } from 'node:dgram';
import { Server, Socket } from 'node:net';
import { findSystemProgram, SYSTEM_PATH } from '@countersign/changes';
import type { Gateway } from '../../sandbox/gateway/gateway.js';
import { DIRECT_PORTS, holdNetwork } from '../../sandbox/gateway/listen-scripts.js';

/**
 * Any user may bind any port there, as in `ownNetworkArguments`. If there is an `ip` program, every address leads to our listeners, so that
 * attempts to reach addresses are seen, too.
 */
const PREPARE = `
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
ip route add local 0.0.0.0/0 dev lo 2> /dev/null
exec "$@"
`;

/** A dev server in the run may listen on any other port. */
const LOW_PORTS = DIRECT_PORTS.filter((port) => port < 1024);

interface HeldNetwork {
  /** Words before those of a program that enters the network. */
  readonly before: readonly string[];
  /** Connects to a port in the network. Undefined if nothing listens there. */
  join(port: number): Promise<Socket | undefined>;
  close(): Promise<void>;
}

/** A network namespace in which our process begins to listen. */
export interface StartedNetwork {
  /** Resolves when everything that is tried in it leads to our listeners. Rejects if the namespace could not be created. */
  open(listeners: Listeners): Promise<HeldNetwork>;
  close(): Promise<void>;
}

interface Listeners {
  readonly gateway: Gateway;
  readonly serveModel: (listener: Server) => void;
  /** In addition to those that every run has. */
  readonly ports: readonly number[];
}

/**
 * Creates a network namespace with nothing but our listeners. A process of ours stays in it, outside of the sandbox: programs in the sandbox
 * can't see it. Starting it takes a while, and depends on nothing that the server says about a run.
 */
export function startNetwork(program: string): StartedNetwork {
  const nsenter = findSystemProgram('nsenter');
  const isRoot = process.getuid?.() === 0;
  const asRoot = isRoot ? [] : ['--unshare-user', '--uid', '0', '--gid', '0', '--cap-add', 'ALL'];
  const words = [
    ...asRoot,
    '--unshare-net',
    '--die-with-parent',
    '--dev-bind',
    '/',
    '/',
    '/bin/sh',
    '-c',
    PREPARE,
    'network',
  ];
  const child = spawn(program, [...words, process.execPath, '-e', holdNetwork(LOW_PORTS)], {
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 1_000)));
  const ended = new Promise<void>((done) => child.once('exit', done).once('error', () => done()));
  const joins: Joins = new Map();
  const handles: Handle[] = [];
  const received = receive(child, { handles, joins });
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    for (const [, handle] of handles.splice(0)) handle.close();
    for (const joined of joins.values()) joined(undefined);
  };
  return {
    close,
    async open({ gateway, serveModel, ports }) {
      if (nsenter === undefined) throw new Error('nsenter is not installed in a system folder. Install util-linux');
      const failed = ended.then(() => {
        throw new Error(`the network of the run could not be set up: ${said.trim()}`);
      });
      if (child.connected) child.send({ ports: ports.filter((port) => !LOW_PORTS.includes(port)) });
      const pid = await Promise.race([received, failed]);
      failed.catch(() => undefined);
      for (const [what, handle] of handles.splice(0))
        if (handle instanceof Datagrams) gateway.serveNames(handle);
        else if (what === 'proxy') gateway.serve(handle);
        else if (what === 'model') serveModel(handle);
        else gateway.serveDirectly(handle);
      let next = 0;
      const net = `--net=/proc/${pid}/ns/net`;
      return {
        before: isRoot
          ? [nsenter, net, '--']
          : [nsenter, '--preserve-credentials', `--user=/proc/${pid}/ns/user`, net, '--'],
        async join(port) {
          next += 1;
          const id = next;
          if (!child.connected) return undefined;
          return await new Promise((resolve) => {
            joins.set(id, resolve);
            child.send({ id, port });
          });
        },
        close,
      };
    },
  };
}

type Joins = Map<number, (socket: Socket | undefined) => void>;

type Handle = readonly [what: unknown, handle: Server | Datagrams];

/**
 * Resolves with the PID of the process in the network, once all its listeners are ours. Nobody connects to them before: the program starts
 * later.
 */
async function receive(child: ChildProcess, { handles, joins }: { handles: Handle[]; joins: Joins }): Promise<number> {
  return await new Promise((resolve) => {
    child.on('message', (message: unknown, handle: unknown) => {
      if (handle instanceof Datagrams || handle instanceof Server) handles.push([message, handle]);
      else if (hasNumber(message, 'pid')) resolve(message.pid);
      else if (hasNumber(message, 'id')) {
        joins.get(message.id)?.(handle instanceof Socket ? handle : undefined);
        joins.delete(message.id);
      }
    });
  });
}

function hasNumber<K extends string>(message: unknown, key: K): message is Record<K, number> {
  return typeof message === 'object' && message !== null && typeof Reflect.get(message, key) === 'number';
}
