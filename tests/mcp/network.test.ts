import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../packages/tools/src/web/is-public-address.js';
import { freshFolder, openLab, type Lab } from './support/lab.js';
import { stdio } from './support/servers.js';
import { until } from './support/until.js';

const sandbox = await sharedSandbox();
const PUBLIC = '93.184.216.34';

describe.skipIf(sandbox.kind !== 'bubblewrap')('an MCP server with network access', () => {
  /** Represents our own API and all other local services. */
  let api: Server;
  const asked: string[] = [];
  const reached: string[] = [];
  beforeEach(async () => {
    asked.length = 0;
    reached.length = 0;
    api = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`);
      response.end('the answer of a site');
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
  });
  afterEach(() => {
    api.closeAllConnections();
    api.close();
  });

  async function open(network: boolean | { hosts: string[] } = true): Promise<Lab> {
    const { port } = api.address() as AddressInfo;
    const names: Record<string, string[]> = {
      'example.com': [PUBLIC],
      'other.example': ['93.184.216.35'],
      'rebound.example': ['127.0.0.1'],
      'metadata.example': [PUBLIC, '169.254.169.254'],
    };
    const lab = await openLab({
      policy: ['allow mcp__hostile__*'],
      mcp: {
        outside: {
          network: {
            resolve: (host) => Promise.resolve((names[host] ?? []).map((address) => ({ address, family: 4 }))),
            mayConnect: isPublicAddress,
          },
          // No request leaves the machine: outgoing connections go to the server of this test.
          connect: (address, wanted) => {
            reached.push(`${address}:${wanted}`);
            return connect(port, '127.0.0.1');
          },
        },
      },
      script: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role !== 'user') return 'done';
        return { calls: [{ name: 'mcp__hostile__reach', arguments: { url: last.content.split(' ').at(-1) } }] };
      },
    });
    const { name, command, args } = { ...stdio('hostile'), transport: 'stdio' as const } as Extract<
      ReturnType<typeof stdio>,
      { transport: 'stdio' }
    >;
    await lab.add({ name, transport: 'stdio', command, args: args ?? [], network });
    await lab.running('hostile');
    return lab;
  }

  it('[MCP1] [SAFE5] does not reach our API or any other local service', async () => {
    const lab = await open();
    const { port } = api.address() as AddressInfo;
    const here = [`127.0.0.1:${port}`, `localhost:${port}`, `127.64.0.1:${port}`, `[::1]:${port}`, `0.0.0.0:${port}`];
    for (const host of [...here, 'rebound.example', 'metadata.example', '169.254.169.254', '10.0.0.1', 'no.example']) {
      await lab.say(`reach http://${host}/api/health`);
      expect(lab.results().at(-1)).toContain('failed');
    }
    expect([asked, reached]).toEqual([[], []]);
  });

  it('[MCP1] reaches a public host by name, without proxy support', async () => {
    const lab = await open();
    await lab.say('reach http://example.com/a');
    expect(lab.results().at(-1)).toContain('reached 200 the answer of a site');
    await lab.say('reach http://example.com:8080/b');
    expect(lab.results().at(-1)).toContain('reached 200');
    expect(reached).toEqual([`${PUBLIC}:80`, `${PUBLIC}:8080`]);
    expect(asked).toEqual(['example.com/a', 'example.com:8080/b']);
  });

  it('[MCP3] reaches only the hosts in its list, by name, proxy or address', async () => {
    const lab = await open({ hosts: ['Example.com', 'rebound.example'] });
    await lab.say('reach http://example.com/a');
    expect(lab.results().at(-1)).toContain('reached 200 the answer of a site');
    for (const host of ['other.example', '93.184.216.35', 'sub.example.com', 'rebound.example', '127.0.0.1']) {
      await lab.say(`reach http://${host}/b`);
      expect(lab.results().at(-1)).toContain('failed');
    }
    expect([asked, reached]).toEqual([['example.com/a'], [`${PUBLIC}:80`]]);
    const shown = await lab.show('hostile');
    expect(shown.network).toEqual({ hosts: ['example.com', 'rebound.example'] });
    expect(shown.sandbox).toBe('bubblewrap, network limited to example.com, rebound.example');
  });

  it('[MCP3.4] if it doesn’t start, names the host that is missing in its list', async () => {
    const folder = await freshFolder();
    const program = join(folder, 'server.mjs');
    await writeFile(
      program,
      `import { connect } from 'node:net';
      const socket = connect(3128, '127.0.0.1', () => socket.write('CONNECT other.example:443 HTTP/1.1\\r\\n\\r\\n'));
      socket.on('data', (said) => { console.error(String(said)); process.exit(1); });`,
    );
    const lab = await openLab({ folder, mcp: { firstPauseMs: 3_600_000 } });
    const network = { hosts: ['example.com'] };
    await lab.add({ name: 'limited', transport: 'stdio', command: process.execPath, args: [program], network });
    await until(async () => (await lab.show('limited')).status === 'failed', 'it fails');
    const { cause, log } = await lab.show('limited');
    expect(cause).toEqual({ code: 'unlisted-host', host: 'other.example', hosts: ['example.com', 'other.example'] });
    expect(log?.join('\n')).toContain('this server may not connect to other.example');
  });

  it('[MCP1.2] if it doesn’t start, names the address that its sandbox refused and the rule that would allow it', async () => {
    const folder = await freshFolder();
    const program = join(folder, 'server.mjs');
    await writeFile(
      program,
      `import { connect } from 'node:net';
      const socket = connect(3128, '127.0.0.1', () => socket.write('CONNECT mirror.example:4873 HTTP/1.1\\r\\n\\r\\n'));
      socket.on('data', () => process.exit(1));`,
    );
    const outside = {
      network: {
        resolve: () => Promise.resolve([{ address: '10.0.0.5', family: 4 }]),
        mayConnect: isPublicAddress,
      },
      connect: () => connect(9, '127.0.0.1'),
    };
    const lab = await openLab({ folder, mcp: { outside, firstPauseMs: 3_600_000 } });
    await lab.add({ name: 'mirrored', transport: 'stdio', command: process.execPath, args: [program], network: true });
    await until(async () => (await lab.show('mirrored')).status === 'failed', 'it fails');
    expect((await lab.show('mirrored')).cause).toEqual({
      code: 'refused-host',
      host: 'mirror.example',
      address: '10.0.0.5',
      port: 4873,
      rule: 'allow sandbox_network(10.0.0.5:4873)',
    });
  });

  it('[CALL20] reports its sandbox truthfully', async () => {
    const lab = await open();
    expect((await lab.show('hostile')).sandbox).toBe('bubblewrap, public network');
  });
});

describe.each([
  { kind: 'none', reason: 'bubblewrap is not installed' },
  { kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec' },
] as const)('an MCP server without a sandbox that can limit hosts ($kind)', (sandbox) => {
  it('[MCP3] does not start if it is limited to hosts, and says why', async () => {
    const folder = await freshFolder();
    const started = join(folder, 'started');
    const program = join(folder, 'server.mjs');
    await writeFile(program, `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(started)}, '');`);
    const lab = await openLab({ folder, mcp: { sandbox, firstPauseMs: 3_600_000 } });
    const network = { hosts: ['example.com'] };
    await lab.add({ name: 'limited', transport: 'stdio', command: process.execPath, args: [program], network });
    await until(async () => (await lab.show('limited')).status === 'failed', 'it fails');
    expect(await readdir(folder)).not.toContain('started');
    const shown = await lab.show('limited');
    expect(shown.error).toContain("can't be limited to hosts");
    expect(shown.error).toMatch(/allow (?:it )?the whole network/i);
    expect(shown.sandbox).not.toContain('network limited to');
  });
});
