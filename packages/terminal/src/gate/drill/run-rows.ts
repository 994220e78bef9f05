import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@countersign/client';
import { channelFetch } from '@countersign/server/channel';
import type { ServerAccess } from '../../connection/server-access.js';
import type { DrillAgent } from './drilled-agents.js';
import { startTemporaryServer, type TemporaryServer } from './temporary-server.js';

export interface DrillOptions<Agent extends DrillAgent = DrillAgent> {
  readonly agent: Agent;
  readonly bin: string;
  readonly path: string;
  readonly startModel: ServerAccess['startModel'];
  readonly isWanted: (row: string) => boolean;
  readonly onRow: (row: RowResult) => void;
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
}

/** Starts a server, runs the wanted rows one after another, each in a folder of its own, and removes everything. */
export async function runRows<Row extends { readonly name: string }>(
  { path, isWanted, onRow }: Pick<DrillOptions, 'path' | 'isWanted' | 'onRow'>,
  rows: readonly Row[],
  prepare: (place: DrillPlace) => Promise<(row: Row, folder: string) => Promise<RowResult>>,
): Promise<RowResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-drill-'));
  const env = { PATH: path, HOME: join(folder, 'home'), NO_COLOR: '1', TERM: 'dumb' };
  const home = join(folder, 'countersign');
  await mkdir(env.HOME);
  const server = await startTemporaryServer(home, env);
  try {
    const { url, token } = server;
    const client = createClient({ url, token, fetch: channelFetch(token) });
    const run = await prepare({ server, client, env, home });
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
