import { describe, expect, it } from 'vitest';
import type { McpServerRecord, McpToolRecord } from '../../ports/index.js';
import { HOSTILE, step, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

function server(name: string, change: Partial<McpServerRecord> = {}): McpServerRecord {
  const definition = {
    name,
    transport: 'stdio' as const,
    command: 'serve',
    args: [HOSTILE],
    env: { TOKEN: HOSTILE },
    network: false,
    trusted: false,
    enabled: true,
  };
  return { worldId: W, name, definition, sealed: null, signIn: null, firstListedAt: null, createdAt: 7, ...change };
}

function tool(name: string, change: Partial<McpToolRecord> = {}): McpToolRecord {
  const seen = { name: HOSTILE, description: HOSTILE, inputSchema: { type: 'object' } };
  const pinned = { accepted: null, acceptedDigest: null, reviewed: false };
  return { worldId: W, server: 'shed', name, ...pinned, seen, seenDigest: 'd', ...change };
}

/** MCP servers and the accepted definitions of their tools. */
export function describeMcpServers(open: OpenStore): void {
  const { store } = freshStore(open);

  describe('MCP servers', () => {
    it('round-trip, in the order they were added', async () => {
      await write(store(), async (tx) => {
        await tx.insertMcpServer(server('shed'));
        await tx.insertMcpServer(server('attic', { firstListedAt: 9 }));
      });
      expect(await store().read((r) => r.mcpServers(W))).toStrictEqual([
        server('shed'),
        server('attic', { firstListedAt: 9 }),
      ]);
      expect(await store().read((r) => r.mcpServer(W, 'shed'))).toStrictEqual(server('shed'));
      expect(await store().read((r) => r.mcpServer('elsewhere', 'shed'))).toBeUndefined();
      const changed = server('shed', {
        definition: { ...server('shed').definition, trusted: true },
        sealed: HOSTILE,
        signIn: HOSTILE,
      });
      expect(await write(store(), (tx) => tx.updateMcpServer(server('shed'), changed))).toBe(true);
      expect(await store().read((r) => r.mcpServer(W, 'shed'))).toStrictEqual(changed);
    });

    it('[CALL1] no concurrent change is lost', async () => {
      await write(store(), (tx) => tx.insertMcpServer(server('shed')));
      const { definition } = server('shed');
      const off = { ...definition, enabled: false };
      expect(
        await write(store(), (tx) => tx.updateMcpServer(server('shed'), { ...server('shed'), definition: off })),
      ).toBe(true);
      const trusted = { ...definition, trusted: true };
      expect(
        await write(store(), (tx) => tx.updateMcpServer(server('shed'), { ...server('shed'), definition: trusted })),
      ).toBe(false);
      expect(await write(store(), (tx) => tx.setMcpServerListed(W, 'shed'))).toBe(true);
      expect(await write(store(), (tx) => tx.setMcpServerListed(W, 'shed'))).toBe(false);
      const found = await store().read((r) => r.mcpServer(W, 'shed'));
      expect(found).toMatchObject({ definition: off, firstListedAt: expect.any(Number) as number });
    });

    it('have unique names in a world', async () => {
      await write(store(), (tx) => tx.insertMcpServer(server('shed')));
      const again = write(store(), (tx) => tx.insertMcpServer(server('shed')));
      await expect(again).rejects.toMatchObject({ code: 'conflict', field: 'name' });
    });

    it('store the accepted and the current definition of each tool, and delete them with the server', async () => {
      const known = tool('mcp__shed__rake', {
        accepted: { name: 'rake', inputSchema: {} },
        acceptedDigest: 'a',
        reviewed: true,
      });
      await write(store(), async (tx) => {
        await tx.insertMcpServer(server('shed'));
        await tx.putMcpTool(tool('mcp__shed__rake'));
        await tx.putMcpTool(known);
        await tx.putMcpTool(tool('mcp__shed__axe', { seen: null, seenDigest: null }));
        await tx.putMcpTool(tool('mcp__attic__box', { server: 'attic' }));
      });
      expect((await store().read((r) => r.mcpTools(W, 'shed'))).at(-1)).toStrictEqual(known);
      expect((await store().read((r) => r.mcpTools(W, 'shed'))).map(({ name }) => name)).toEqual([
        'mcp__shed__axe',
        'mcp__shed__rake',
      ]);
      expect(await write(store(), (tx) => tx.deleteMcpServer(W, 'shed'))).toBe(true);
      expect(await write(store(), (tx) => tx.deleteMcpServer(W, 'shed'))).toBe(false);
      expect(await store().read((r) => r.mcpTools(W, 'shed'))).toEqual([]);
      expect(await store().read((r) => r.mcpTools(W, 'attic'))).toHaveLength(1);
    });

    it('are deleted with their world', async () => {
      await write(store(), async (tx) => {
        await tx.insertMcpServer(server('shed'));
        await tx.putMcpTool(tool('mcp__shed__rake'));
      });
      await step(store(), (tx) => tx.deleteWorld());
      expect(await store().read((r) => r.mcpServers(W))).toEqual([]);
      expect(await store().read((r) => r.mcpTools(W, 'shed'))).toEqual([]);
    });
  });
}
