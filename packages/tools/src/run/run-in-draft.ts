import { homedir } from 'node:os';
import { systemClock } from '@countersign/core/ports';
import type { EndedRun, RunAgent, StartedRun } from '@countersign/protocol';
import { realPath, writeEnded } from '@countersign/changes';
import type { Outside } from '../sandbox/gateway/gateway.js';
import { prepareAgent, type AgentPlace } from './agents/prepare-agent.js';
import type { PreparedAgent } from './agents/types.js';
import type { BegunRun } from './begin-run.js';
import type { RunIo } from './connect-io.js';
import { openAgentHome } from './home/open-agent-home.js';
import { openRunNetwork } from './network/open-run-network.js';
import type { RunNetwork } from './network/types.js';
import { readRunSandbox } from './run-sandbox.js';
import { supervise, type RunSignal } from './supervise.js';

export interface DraftedRun {
  readonly started: StartedRun;
  readonly begun?: BegunRun;
  /** The program and its arguments. */
  readonly words: readonly string[];
  /** Set for a known agent. */
  readonly prepared?: PreparedAgent | undefined;
  readonly ports: readonly number[];
  /** Where the program starts, in the folder. */
  readonly directory: string;
  readonly io: RunIo;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables for the program besides those. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onSignal: (heard: (signal: RunSignal) => void) => () => void;
  /** Called with the addresses of the ports before the program starts. */
  readonly onPorts?: (ports: EndedRun['ports']) => void;
  /** Called when the program has started. */
  readonly onStarted?: () => void;
  /** Replaces the internet in tests. */
  readonly outside?: Outside;
}

/** Runs a program with its network and its home until all its processes are dead. See `supervise`. */
export async function runInDraft(run: DraftedRun): Promise<EndedRun> {
  const { prepared, ports, outside, onPorts, begun, variables, ...rest } = run;
  const { id, root, hosts, closedHosts, sandbox: given, home: kept } = run.started;
  const sandbox = readRunSandbox(given);
  const home = await openAgentHome({ root, kept, home: personalHome(), prepared });
  const openNetwork = async (): Promise<RunNetwork> => {
    const network = await openRunNetwork({
      ...{ id, sandbox, network: begun?.network, hosts, closedHosts, ports },
      ...(prepared === undefined ? {} : { loginHosts: prepared.loginHosts, models: prepared.models }),
      ...(outside === undefined ? {} : { outside }),
    });
    onPorts?.([...network.ports]);
    return network;
  };
  const { environment: own = {}, notes = [] } = prepared ?? {};
  const agentEnvironment = { ...own, ...variables };
  const { privateInSystem } = begun ?? {};
  return await supervise({ ...rest, home, openNetwork, privateInSystem, agentEnvironment, notes, clock: systemClock });
}

/** Notes that a program of a run that was sent back could not be started, so that what was there before can be signed. */
export async function noteNotStarted(root: string): Promise<void> {
  const notes = ['After somebody asked for changes, the program could not be started.'];
  await writeEnded(root, { exitCode: 127, why: 'exited', hosts: [], variables: [], ports: [], notes });
}

/** Finds out how to start a known agent for the person who runs this process. */
export async function prepareRunAgent(
  agent: RunAgent,
  { variables, folder, allowsFetch = false }: Omit<AgentPlace, 'home'>,
): Promise<PreparedAgent> {
  return await prepareAgent(agent, { variables, home: personalHome(), folder, allowsFetch });
}

function personalHome(): string {
  return realPath(homedir()) ?? homedir();
}
