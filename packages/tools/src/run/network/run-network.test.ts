import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer as createHttpServer, request, type Server } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endedRunSchema } from '@countersign/protocol';
import { sharedSandbox } from '../../testing/shared-sandbox.js';
import type { Bubblewrap } from '../../sandbox/bubblewrap-arguments.js';
import type { Outside } from '../../sandbox/gateway/gateway.js';
import { MODEL_ADDRESS } from '../../sandbox/gateway/listen-scripts.js';
import { isPublicAddress } from '../../web/is-public-address.js';
import { openRunNetwork } from './open-run-network.js';
import type { RunNetwork, RunNetworkOptions } from './types.js';

const run = promisify(execFile);
const PUBLIC = '93.184.216.34';
const sandbox = await sharedSandbox();

describe.skipIf(sandbox.kind !== 'bubblewrap')('the network of a run', () => {
  const bubblewrap = sandbox as Bubblewrap;
  let site: Server;
  let network: RunNetwork | undefined;
  let resolved: string[];
  let reached: string[];

  beforeEach(async () => {
    resolved = [];
    reached = [];
    site = createHttpServer(({ headers, url }, response) => response.end(`${headers.host} ${url}`));
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterEach(async () => {
    await network?.close();
    network = undefined;
    site.closeAllConnections();
    site.close();
  });

  const outside: Outside = {
    network: {
      resolve(host) {
        resolved.push(host);
        return Promise.resolve([{ address: PUBLIC, family: 4 }]);
      },
      mayConnect: isPublicAddress,
    },
    // No request leaves the machine: outgoing connections go to the server of this test.
    connect(address, port) {
      reached.push(`${address}:${port}`);
      return connect((site.address() as AddressInfo).port, '127.0.0.1');
    },
  };

  async function open(options: Partial<RunNetworkOptions>): Promise<RunNetwork> {
    network = await openRunNetwork({ id: crypto.randomUUID(), sandbox: bubblewrap, hosts: [], outside, ...options });
    return network;
  }

  /** Runs a script of Node in the network, as a program of the run. */
  async function inside({ before, environment }: RunNetwork, script: string): Promise<string> {
    const [program = '', ...words] = [
      ...[...before, bubblewrap.program, '--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--dev', '/dev'],
      ...[
        '--proc',
        '/proc',
        '--tmpfs',
        '/run',
        '--ro-bind',
        '/dev/null',
        realpathSync('/etc/resolv.conf'),
        '--',
        process.execPath,
        '-e',
        script,
      ],
    ];
    const { stdout } = await run(program, words, { env: { ...environment }, timeout: 20_000 });
    return stdout;
  }

  const get = (url: string): string => `
    const { host, pathname } = new URL('${url}');
    require('node:http').get({ port: 3128, path: '${url}', headers: { host } }, async (answer) => {
      let text = '';
      for await (const part of answer) text += part;
      console.log(answer.statusCode, text);
    });`;

  it('[RUN8.2] never reaches a host that a rule closes, not even through a star or for a login', async () => {
    const opened = await open({
      hosts: ['*', 'one.example:8080'],
      loginHosts: ['login.example'],
      closedHosts: ['*.evil.example', 'LOGIN.example', 'one.example'],
    });
    expect(await inside(opened, get('http://fine.example/'))).toContain('200');
    for (const host of ['a.evil.example', 'login.example', 'one.example:8080', 'ONE.example.'])
      expect(await inside(opened, get(`http://${host}/`))).toContain('403');
    expect(resolved).toEqual(['fine.example']);
  });

  it('[RUN9] its notes fit into the account of the run, whatever the program sends to the model gateway', async () => {
    const opened = await open({});
    const long = 'a'.repeat(3_000);
    await inside(
      opened,
      `(async () => {
        for (let n = 0; n < 30; n += 1) await fetch('http://${MODEL_ADDRESS}/' + n + '${'b'.repeat(300)}').then((a) => a.text());
        const socket = require('node:net').connect(${MODEL_ADDRESS.split(':')[1]}, '${MODEL_ADDRESS.split(':')[0]}');
        socket.end('GET / HTTP/1.1\\r\\nHost: x\\r\\n${long}: 1\\r\\n${long}: 2\\r\\n\\r\\n');
        await require('node:events').once(socket.resume(), 'close');
      })()`,
    );
    const notes = opened.notes();
    expect(notes).toHaveLength(1);
    endedRunSchema.parse({ exitCode: 0, why: 'exited', notes });
  });

  it('[RUN8] reaches listed hosts only, resolves no other name, and counts every attempt', async () => {
    const opened = await open({ hosts: ['registry.example', '*.docs.example', 'one.example:8080'] });
    expect(await inside(opened, get('http://registry.example/a'))).toContain('200 registry.example /a');
    expect(await inside(opened, get('http://a.docs.example/b'))).toContain('200 a.docs.example /b');
    expect(await inside(opened, get('http://one.example:8080/'))).toContain('200');
    for (const host of [
      'evil.example',
      'xdocs.example',
      'docs.example',
      'one.example',
      'registry.example.evil.example',
    ])
      expect(await inside(opened, get(`http://${host}/`))).toContain(`403 no rule allows connections to ${host}`);
    await inside(opened, get('http://evil.example/'));
    expect(resolved).toEqual(['registry.example', 'a.docs.example', 'one.example']);
    expect(opened.tried()).toEqual([
      { host: 'registry.example', port: 80, allowed: true, count: 1 },
      { host: 'a.docs.example', port: 80, allowed: true, count: 1 },
      { host: 'one.example', port: 8080, allowed: true, count: 1 },
      { host: 'evil.example', port: 80, allowed: false, count: 2 },
      { host: 'xdocs.example', port: 80, allowed: false, count: 1 },
      { host: 'docs.example', port: 80, allowed: false, count: 1 },
      { host: 'one.example', port: 80, allowed: false, count: 1 },
      { host: 'registry.example.evil.example', port: 80, allowed: false, count: 1 },
    ]);
  });

  it('[RUN8.1] programs without proxy support reach the same hosts, and their attempts count too', async () => {
    const opened = await open({ hosts: ['registry.example'] });
    const direct = (host: string): string => `
      require('node:http').get({ host: '${host}', port: 80, path: '/x', timeout: 2000, agent: false }, (answer) => answer.pipe(process.stdout))
        .on('error', ({ code }) => console.log(code)).on('timeout', () => console.log('TIMEOUT'));`;
    expect(await inside(opened, direct('registry.example'))).toBe('registry.example /x');
    expect(await inside(opened, direct('evil.example'))).toContain('ENOTFOUND');
    expect(await inside(opened, direct('93.184.216.1'))).toMatch(/ECONNRESET|ENETUNREACH/);
    expect(reached).toEqual([`${PUBLIC}:80`]);
    const refused = opened.tried().filter(({ allowed }) => !allowed);
    expect(refused[0]).toMatchObject({ host: 'evil.example', port: 0 });
    // Without an `ip` program, addresses are unreachable, and nobody notices the attempt.
    expect(refused.slice(1)).toEqual(
      refused.length === 1 ? [] : [{ host: '93.184.216.1', port: 80, allowed: false, count: 1 }],
    );
  });

  it('[RUN8] a listed name at a private address is refused, and a private address needs its port in the list', async () => {
    const { port } = site.address() as AddressInfo;
    const own: Outside = { ...outside, connect: (address, to) => connect(to, address) };
    const opened = await open({
      hosts: ['inner.example', `127.0.0.1:${port}`],
      outside: {
        ...own,
        network: { ...own.network, resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]) },
      },
    });
    expect(await inside(opened, get('http://inner.example/'))).toContain('403');
    expect(await inside(opened, get(`http://127.0.0.1:${port}/mine`))).toContain('200');
    expect(await inside(opened, get(`http://127.0.0.1:${port + 1}/`))).toContain('403');
    expect(opened.tried().map(({ host, allowed }) => `${host} ${allowed}`)).toEqual([
      'inner.example false',
      '127.0.0.1 true',
      '127.0.0.1 false',
    ]);
  });

  const tunnel = (host: string, first: string): string => `
    const { connect } = require('node:net');
    const socket = connect(3128, '127.0.0.1', () => socket.write('CONNECT ${host}:443 HTTP/1.1\\r\\n\\r\\n'));
    let said = '';
    const end = () => console.log(said.split('\\r\\n')[0], said.slice(said.indexOf('\\r\\n\\r\\n') + 4).length > 0);
    socket.on('error', () => undefined).on('close', end);
    socket.on('data', (bytes) => {
      const isFirst = said === '';
      said += bytes;
      if (isFirst) ${first};
      else socket.end();
    });
    setTimeout(() => socket.destroy(), 2000).unref();`;
  const tls = async (name: string): Promise<string> =>
    `socket.write(Buffer.from('${(await clientHello(name)).toString('base64')}', 'base64'))`;
  const plain = `socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')`;

  it('[RUN11] TLS through the gateway must name the host, and a login needs TLS', async () => {
    // The server of this test answers TLS with a plain 400: an answer shows that the bytes got there.
    const opened = await open({ hosts: ['registry.example'], loginHosts: ['login.example'] });
    const reaches = async (host: string, first: string): Promise<boolean> =>
      (await inside(opened, tunnel(host, first))).includes('established true');
    expect(await reaches('registry.example', await tls('registry.example'))).toBe(true);
    expect(await reaches('login.example', await tls('login.example'))).toBe(true);
    expect(await reaches('registry.example', plain)).toBe(true);
    expect(await reaches('registry.example', await tls('evil.example'))).toBe(false);
    expect(await reaches('login.example', await tls('evil.example'))).toBe(false);
    expect(await reaches('login.example', await tls(''))).toBe(false);
    expect(await reaches('login.example', plain)).toBe(false);
    expect(await inside(opened, get('http://login.example/'))).toContain('403');
  });

  const fetchText = async (url: string): Promise<string> =>
    await new Promise((resolve) => {
      request(url, { timeout: 2_000 }, (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString())).on('end', () => resolve(text));
      })
        .on('error', (error) => resolve(String(Reflect.get(error, 'code'))))
        .end();
    });

  it('[RUN12] opens the ports of a run on a loopback address of its own, on no other', async () => {
    const port = await freePort();
    const opened = await open({ ports: [port] });
    const [{ url } = { url: '' }] = opened.ports;
    expect(url).toMatch(new RegExp(`^http://127\\.(?!0\\.)\\d+\\.\\d+\\.\\d+:${port}$`));
    expect(await fetchText(url)).toBe('ECONNRESET');
    const server = inside(
      opened,
      `const server = require('node:http').createServer((request, response) => {
         response.end('from inside');
         if (request.url === '/end') setTimeout(() => process.exit(), 50);
       }).listen(${port}, '127.0.0.1');`,
    );
    await expect.poll(() => fetchText(url), { timeout: 10_000 }).toBe('from inside');
    expect(await fetchText(`http://127.0.0.1:${port}/`)).toBe('ECONNREFUSED');
    expect(await fetchText(`http://[::1]:${port}/`)).toMatch(/ECONNREFUSED|EADDRNOTAVAIL/);
    expect(await fetchText(`${url}/end`)).toBe('from inside');
    await server;
    // Another run with the same port gets another address.
    const other = await openRunNetwork({ id: 'other', sandbox: bubblewrap, hosts: [], ports: [port], outside });
    expect(other.ports[0]?.url).not.toBe(url);
    await other.close();
    await opened.close();
    expect(await fetchText(url)).toBe('ECONNREFUSED');
  });

  it('[RUN9] the model gateway is in the network of the run, next to any proxy, and is counted', async () => {
    const { port } = site.address() as AddressInfo;
    const credential = { header: 'x-api-key', value: 'sk-real-secret' } as const;
    const route = { vendor: 'anthropic', url: `http://127.0.0.1:${port}`, credential, allowsFetch: false } as const;
    const opened = await open({ hosts: ['localhost:1'], models: [route] });
    const ask = (path: string): string => `
      fetch('http://127.0.0.2:3129/anthropic${path}', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
        .then(async (answer) => console.log(answer.status, await answer.text()));`;
    expect(await inside(opened, ask('/v1/messages'))).toBe(`200 127.0.0.1:${port} /v1/messages\n`);
    expect(await inside(opened, ask('/v1/files'))).toContain('404');
    expect(opened.environment['NO_PROXY']?.split(',')).toContain('127.0.0.2');
    expect(opened.tried()).toEqual([{ host: '127.0.0.1', port, allowed: true, count: 1 }]);
    expect(opened.notes()).toEqual(['The model gateway refused: POST /anthropic/v1/files.']);
  });

  it('[RUN8] programs see only their own network, and not our process in it', async () => {
    const opened = await open({});
    const seen = await inside(
      opened,
      `const { readdirSync, readFileSync } = require('node:fs');
       const commands = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => readFileSync('/proc/' + pid + '/cmdline', 'utf8'));
       console.log(commands.length, Object.keys(require('node:os').networkInterfaces()).join());`,
    );
    expect(seen.trim()).toBe('2 lo');
  });
});

async function freePort(): Promise<number> {
  const server = createHttpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The first bytes that a TLS client sends. */
async function clientHello(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectTls({ port: (server.address() as AddressInfo).port, servername }).on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [ReturnType<typeof connect>];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  server.close();
  return bytes;
}
