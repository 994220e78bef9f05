import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '@countersign/client';
import { channelFetch } from '@countersign/server/channel';
import type { ServerAccess } from '../../connection/server-access.js';
import type { DrillAgent } from './drilled-agents.js';
import { createUser, giveTo, type RunAs } from './managed-scene.js';
import { startTemporaryServer, type TemporaryServer } from './temporary-server.js';

export interface DrillOptions<Agent extends DrillAgent = DrillAgent> {
  readonly agent: Agent;
  readonly bin: string;
  readonly path: string;
  readonly startModel: ServerAccess['startModel'];
  readonly isWanted: (row: string) => boolean;
  readonly onRow: (row: RowResult) => void;
  /** An administrator's gate, in a mount namespace of this process. */
  readonly isManaged?: boolean;
}

export interface RowResult {
  readonly name: string;
  readonly held: boolean;
  /** For people: what went wrong. */
  readonly detail?: string;
}

/** What the rows of every drill share. All of it is throwaway. */
export interface DrillPlace {
  readonly server: TemporaryServer;
  readonly client: Client;
  /** The environment of the agent, with its home folder. */
  readonly env: Readonly<Record<'PATH' | 'HOME' | 'NO_COLOR' | 'TERM', string>>;
  /** The home folder of the server. */
  readonly home: string;
  /** With a managed gate: the user that the agent runs as, who isn't root. */
  readonly runAs?: RunAs;
}

/** Not below `/tmp`, where Codex refuses to put its helpers. */
const PARENT = '/var/tmp';

/** Starts a server, runs the wanted rows one after another, each in a folder of its own, and removes everything. */
export async function runRows<Row extends { readonly name: string }>(
  { path, isWanted, onRow, isManaged = false }: Pick<DrillOptions, 'path' | 'isWanted' | 'onRow' | 'isManaged'>,
  rows: readonly Row[],
  prepare: (place: DrillPlace) => Promise<(row: Row, folder: string) => Promise<RowResult>>,
): Promise<RowResult[]> {
  const folder = await mkdtemp(join(PARENT, 'countersign-drill-'));
  const env = { PATH: path, HOME: join(folder, 'home'), NO_COLOR: '1', TERM: 'dumb' };
  // The hook of an administrator finds the configuration of the user who runs it there.
  const home = isManaged ? join(env.HOME, '.countersign') : join(folder, 'countersign');
  await mkdir(env.HOME);
  const runAs = isManaged ? createUser(env.HOME) : undefined;
  if (runAs !== undefined) {
    await chmod(folder, 0o711);
    giveTo(runAs, env.HOME);
  }
  const server = await startTemporaryServer(home, env, runAs);
  try {
    const { url, token } = server;
    const client = createClient({ url, token, fetch: channelFetch(token) });
    const run = await prepare({ server, client, env, home, ...(runAs === undefined ? {} : { runAs }) });
    const results: RowResult[] = [];
    for (const [index, row] of rows.entries()) {
      if (!isWanted(row.name)) continue;
      const result = await run(row, join(folder, `row-${index}`));
      onRow(result);
      results.push(result);
    }
    return results;
  } finally {
    await server.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
