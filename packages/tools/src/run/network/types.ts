import type { TriedHost } from '@countersign/protocol';
import type { Bubblewrap } from '../../sandbox/bubblewrap-arguments.js';
import type { Outside } from '../../sandbox/gateway/gateway.js';
import type { StartedNetwork } from './hold-network.js';
import type { ModelRoute } from '../model/types.js';

/** A port of the run, and its address outside: `http://127.x.y.z:N`, never 127.0.0.1, because cookies ignore ports. */
export interface OpenedPort {
  readonly inside: number;
  readonly url: string;
}

export interface RunNetworkOptions {
  /** The id of the run, which determines the address of its ports. */
  readonly id: string;
  readonly sandbox: Pick<Bubblewrap, 'program'>;
  /** Started already. */
  readonly network?: StartedNetwork | undefined;
  /** What rules and `--allow-host` name: `example.com`, `*.example.com`, or a private address with its port. */
  readonly hosts: readonly string[];
  /** Never reached, whatever else names them. */
  readonly closedHosts?: readonly string[];
  /** The agent's login needs these hosts. TLS to them must name them (SNI). */
  readonly loginHosts?: readonly string[];
  readonly models?: readonly ModelRoute[];
  readonly ports?: readonly number[];
  /** Replaces the internet in tests. */
  readonly outside?: Outside;
}

/** The network namespace of one run, and what leads out of it. */
export interface RunNetwork {
  /**
   * Words before those that start the program's sandbox (and before those that mount its draft): they enter the network. The sandbox must not
   * create another one, so its view has `network: 'host'`. It needs no file descriptor, so that a pseudo-terminal can start it.
   */
  readonly before: readonly string[];
  /** Proxy variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly OpenedPort[];
  /** What was tried so far, each host and port once, in the order of the first try. */
  tried(): readonly TriedHost[];
  /** What people should know before they sign, one sentence each. */
  notes(): readonly string[];
  /** Ends all connections, and the namespace once the program has ended. */
  close(): Promise<void>;
}
