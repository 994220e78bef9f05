import { updateMcpServer, type Engine } from '@countersign/core';
import type { Store } from '@countersign/core/ports';
import { describe, expect, it } from 'vitest';
import { createMcpRecords } from '../../packages/core/src/mcp/mcp-records.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { openEngine, prepare, signer } from './engines-fixture.js';

describe('[CALL1.6] a new MCP server that another process changes while this one lists its tools', () => {
  const listing = (...names: string[]) =>
    names.map((name) => ({ name: `mcp__shed__${name}`, definition: { name, inputSchema: { type: 'object' } } }));

  /** The second process lists the tools, and the first one acts between its read and its write. */
  async function listMeanwhile(act: (first: Engine, worldId: string) => Promise<unknown>) {
    const url = await createMigratedDatabase();
    let meanwhile = (): Promise<unknown> => Promise.resolve();
    const overtaken = (store: Store): Store => ({
      ...store,
      transact: (id, work) =>
        store.transact(id, (tx) => {
          const mcpServer: typeof tx.mcpServer = async (...about) => {
            const found = await tx.mcpServer(...about);
            await meanwhile();
            return found;
          };
          return work({ ...tx, mcpServer });
        }),
    });
    const first = await openEngine(url, []);
    const second = await openEngine(url, [], undefined, overtaken);
    const { worldId } = await prepare(first);
    const definition = {
      ...{ name: 'shed', transport: 'stdio' as const, command: 'serve', args: [], env: {} },
      ...{ network: false, trusted: false, enabled: true },
    };
    await first.runtime.store.transact(worldId, (tx) =>
      tx.insertMcpServer({
        worldId,
        name: 'shed',
        definition,
        sealed: null,
        signIn: null,
        firstListedAt: null,
        createdAt: 1,
      }),
    );
    meanwhile = () => act(first, worldId);
    return await createMcpRecords(() => second.runtime).listed(worldId, 'shed', listing('axe', 'saw'));
  }

  it('only the first list is accepted', async () => {
    const listed = await listMeanwhile((first, worldId) =>
      createMcpRecords(() => first.runtime).listed(worldId, 'shed', listing('saw')),
    );
    const accepted = listed?.tools.filter((tool) => tool.accepted !== null).map(({ name }) => name);
    expect(accepted).toEqual(['mcp__shed__saw']);
    expect(listed?.tools.map(({ name }) => name)).toContain('mcp__shed__axe');
  });

  it('a tool that one process saw removed is not accepted again when the other saw it changed', async () => {
    const url = await createMigratedDatabase();
    let takeBack = (): Promise<unknown> => Promise.resolve();
    let waitsForSecond = (): void => undefined;
    const reached = new Promise<void>((resolve) => (waitsForSecond = resolve));
    const first = await openEngine(url, [], undefined, (store) => ({
      ...store,
      transact: (id, work) =>
        store.transact(id, (tx) => {
          const updateMcpServer: typeof tx.updateMcpServer = (...change) => {
            waitsForSecond();
            return tx.updateMcpServer(...change);
          };
          return work({ ...tx, updateMcpServer });
        }),
    }));
    const second = await openEngine(url, [], undefined, (store) => ({
      ...store,
      transact: (id, work) =>
        store.transact(id, (tx) => {
          const mcpTools: typeof tx.mcpTools = async (...about) => {
            const found = await tx.mcpTools(...about);
            await Promise.race([takeBack(), reached]);
            return found;
          };
          return work({ ...tx, mcpTools });
        }),
    }));
    const { worldId } = await prepare(first);
    const definition = {
      ...{ name: 'shed', transport: 'stdio' as const, command: 'serve', args: [], env: {} },
      ...{ network: false, trusted: false, enabled: true },
    };
    await first.runtime.store.transact(worldId, (tx) =>
      tx.insertMcpServer({
        worldId,
        name: 'shed',
        definition,
        sealed: null,
        signIn: null,
        firstListedAt: null,
        createdAt: 1,
      }),
    );
    const [at, elsewhere] = [first, second].map(({ runtime }) => createMcpRecords(() => runtime));
    await elsewhere?.listed(worldId, 'shed', listing('axe'));
    let taken: Promise<unknown> | undefined;
    takeBack = () => (taken ??= at?.listed(worldId, 'shed', []) ?? Promise.resolve());
    const changed = {
      name: 'mcp__shed__axe',
      definition: { name: 'axe', inputSchema: { type: 'object', title: 'x' } },
    };
    await elsewhere?.listed(worldId, 'shed', [changed]);
    await taken;
    const tools = await first.runtime.store.read((reader) => reader.mcpTools(worldId, 'shed'));
    const axe = tools.find(({ name }) => name === 'mcp__shed__axe');
    expect(axe).toMatchObject({ accepted: null, acceptedDigest: null });
  });

  it('a server that was disabled stays disabled', async () => {
    const listed = await listMeanwhile((first, worldId) =>
      updateMcpServer(first.runtime, worldId, 'shed', { enabled: false }, signer),
    );
    expect(listed?.server.definition.enabled).toBe(false);
  });
});
