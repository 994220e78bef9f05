import { createRuntime } from '@countersign/core';
import type { Clock, Store } from '@countersign/core/ports';
import { scripted, type ScriptedCall } from '@countersign/core/testing';
import { acpAgents } from '@countersign/tools';
import type { Hono } from 'hono';
import {
  createSimulatedProcess,
  type SimulatedProcess,
} from '../../packages/countersign/src/testing/simulated-process.js';
import { createApp } from '../../packages/server/src/app/create-app.js';
import type { Env } from '../../packages/server/src/app/context.js';
import { createAuth } from '../../packages/server/src/auth/create-auth.js';
import { PROGRAM_TOKEN } from '../../packages/server/src/auth/holders.js';
import type { WorkFolders } from '../../packages/server/src/home/folders/work-folders.js';
import type { Activity } from './activity.js';
import type { HistoryTools } from './tools.js';

const PORT = 4747;
export const ORIGIN = `http://127.0.0.1:${PORT}`;
const TOKEN = 'a-token-that-only-the-histories-know-0123456789';
/** The server's own token: an owner. */
export const ROOT = { Authorization: `Bearer ${TOKEN}` };

/** One process of the server, without a socket. */
export interface Process {
  readonly simulated: SimulatedProcess;
  readonly app: Hono<Env>;
  /** Resolves when the process dies. */
  readonly died: Promise<undefined>;
}

interface ProcessParts {
  store: Store;
  clock: Clock;
  activity: Activity;
  work: WorkFolders;
  tools: HistoryTools;
  errors: string[];
}

/** Makes the calls in a JSON message, then answers `done`. */
const obedient = scripted(
  ({ messages }) => {
    const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system');
    const calls = /\[.*\]/s.exec(told?.content ?? '')?.[0];
    if (told === undefined || calls === undefined) return 'ok';
    const isAnswered = messages.slice(messages.indexOf(told) + 1).length > 0;
    return isAnswered ? 'done' : { calls: JSON.parse(calls) as ScriptedCall[] };
  },
  { title: 'a history' },
);

export async function startProcess({ store, clock, activity, work, tools, errors }: ProcessParts): Promise<Process> {
  let onDeath = (): void => undefined;
  const died = new Promise<undefined>((resolve) => (onDeath = () => resolve(undefined)));
  const simulated = createSimulatedProcess(activity.watchStore(store), clock, () => onDeath());
  const complain = (error: unknown, what: string): void => {
    if (!simulated.isDead()) errors.push(`${what}: ${String(error)}`);
  };
  const acp = acpAgents({ clock, env: {} });
  const engine = createRuntime({
    store: simulated.store,
    clock: simulated.clock,
    probe: simulated.probe,
    providers: [obedient],
    tools: tools.list,
    toolSources: [tools.server],
    externalTool: acp.externalTool,
    findPlace: work.findPlace,
    onListenerFailure: (error) => complain(error, 'a listener failed'),
    onError: complain,
  });
  await engine.start().catch((error: unknown) => complain(error, 'could not start'));
  const auth = createAuth({
    token: TOKEN,
    tokenHolder: PROGRAM_TOKEN,
    store: simulated.store,
    clock: simulated.clock,
    report: complain,
    port: () => PORT,
    host: '127.0.0.1',
    allowHosts: [],
  });
  const quiet = (): void => undefined;
  const app = createApp({
    engine,
    auth,
    log: { info: quiet, warn: quiet, error: (message, fields) => complain(JSON.stringify(fields), message) },
    version: '0.0.0-test',
    checkFolder: work.check,
    ownFolder: (worldId) => work.own(worldId),
  });
  return { simulated, app, died };
}
