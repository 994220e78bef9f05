import type { NewMcpServer } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { addMcpServers } from './add-mcp-servers.js';

const servers = ['one', 'two', 'three'].map((name): NewMcpServer => ({ name, transport: 'stdio', command: 'serve' }));

it('[HTTP11.3] stops at the first server that can’t be added, and returns those that were', async () => {
  const tried: string[] = [];
  const error = new Error('taken');
  const add = (refused: string) => (server: NewMcpServer) => {
    tried.push(server.name);
    return server.name === refused ? Promise.reject(error) : Promise.resolve(server.name);
  };
  expect(await addMcpServers(servers, add('two'))).toEqual({ ok: false, added: ['one'], failed: 'two', error });
  expect(tried).toEqual(['one', 'two']);
  expect(await addMcpServers(servers, add('none'))).toEqual({ ok: true, added: ['one', 'two', 'three'] });
});
