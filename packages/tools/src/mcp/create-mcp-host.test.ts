import { type McpRecords, type McpServerWithTools, systemClock } from '@countersign/core/ports';
import { expect, it } from 'vitest';
import { mcpServers } from './create-mcp-host.js';

function hostWith(stored: Map<string, McpServerWithTools>, isShared: boolean) {
  const asked: string[] = [];
  let held: Promise<void> | undefined;
  /** The next read takes until the returned function is called. */
  const hold = (): (() => void) => {
    let release = (): void => undefined;
    held = new Promise((done) => {
      release = done;
    });
    return release;
  };
  const records: McpRecords = {
    isShared: () => isShared,
    all: () => Promise.resolve([]),
    one: async (_world, name) => {
      asked.push(name);
      const found = stored.get(name);
      const waits = held;
      held = undefined;
      await waits;
      return found;
    },
    listed: () => Promise.resolve(undefined),
    place: () => Promise.resolve({ workingDirectory: '/' }),
    renewTokens: () => Promise.resolve(undefined),
    notifyChanged: () => Promise.resolve(),
    report: () => undefined,
  };
  const host = mcpServers({ sandbox: { kind: 'none', reason: 'nothing runs' }, clock: systemClock })(records);
  return { host, asked, hold };
}

const off: McpServerWithTools = {
  server: {
    worldId: 'w',
    name: 'late',
    definition: {
      transport: 'stdio',
      name: 'late',
      command: 'none',
      args: [],
      env: {},
      trusted: false,
      enabled: false,
      network: false,
    },
    sealed: null,
    signIn: null,
    firstListedAt: null,
    createdAt: 0,
  },
  tools: [],
};

it('[HTTP11.1] rejects, and never throws, if a server was removed before it starts', async () => {
  const { host } = hostWith(new Map(), false);
  const starting = [host.start('w', 'gone'), host.test('w', 'gone'), host.context('w', 'gone')];
  for (const each of starting) await expect(each).rejects.toThrow('there is no MCP server "gone"');
});

it('[STORE4.1] finds a server that another process added, before the notification arrives', async () => {
  const { host } = hostWith(new Map([['late', off]]), true);
  expect(host.state('w', 'late')).toBeUndefined();
  await host.refresh('w', 'mcp__late__echo');
  expect(host.state('w', 'late')).toMatchObject({ status: 'off' });
  await host.close();
});

it('reads nothing for tools that are not from MCP servers, or if no other process shares the store', async () => {
  const shared = hostWith(new Map(), true);
  for (const name of ['read_file', 'mcp__', 'mcp__x', 'mcp____x']) await shared.host.refresh('w', name);
  expect(shared.asked).toEqual([]);
  const alone = hostWith(new Map(), false);
  await alone.host.refresh('w', 'mcp__late__echo');
  expect(alone.asked).toEqual([]);
});

it('[MCP1] a slow reload does not undo a newer one', async () => {
  const { definition } = off.server;
  const version = (trusted: boolean): McpServerWithTools => ({
    ...off,
    server: { ...off.server, definition: { ...definition, enabled: true, trusted } },
    tools: [
      {
        ...{ worldId: 'w', server: 'late', name: 'mcp__late__echo', reviewed: false },
        ...{ accepted: { name: 'echo', inputSchema: {} }, acceptedDigest: 'x' },
        ...{ seen: { name: 'echo', inputSchema: {} }, seenDigest: 'x' },
      },
    ],
  });
  const stored = new Map([['late', version(true)]]);
  const { host, hold } = hostWith(stored, false);
  await host.reload('w', 'late');
  const release = hold();
  const slow = host.reload('w', 'late');
  stored.set('late', version(false));
  await host.reload('w', 'late');
  release();
  await slow;
  expect(host.tools('w').get('mcp__late__echo')).toMatchObject({ trusted: false });
  await host.close();
});
