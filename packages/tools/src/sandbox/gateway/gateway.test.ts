import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../web/is-public-address.js';
import { openGateway, type Gateway } from './gateway.js';

const PUBLIC = '93.184.216.34';

describe('the gateway of the sandbox', () => {
  let site: HttpServer;
  let listener: Server;
  let gateway: Gateway;
  let names: Record<string, string[]>;
  const reached: string[] = [];

  beforeEach(async () => {
    reached.length = 0;
    names = { 'example.com': [PUBLIC] };
    site = createHttpServer((request, response) => {
      let body = '';
      request.on('data', (bytes: Buffer) => (body += String(bytes)));
      request.on('end', () => response.end(`${request.method} ${request.headers.host} ${request.url} ${body}`));
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    gateway = openGateway({
      network: {
        resolve: (host) => Promise.resolve((names[host] ?? []).map((address) => ({ address, family: 4 }))),
        mayConnect: isPublicAddress,
      },
      // No request leaves the machine: outgoing connections go to the server of this test.
      connect: (address, wanted) => {
        reached.push(`${address}:${wanted}`);
        return connect(port, '127.0.0.1');
      },
    });
    listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    gateway.serve(listener);
  });
  afterEach(() => {
    gateway.close();
    site.closeAllConnections();
    site.close();
  });

  const speak = async (text: string, then?: string): Promise<string> => {
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      if (then !== undefined && said.includes('established')) socket.write(then);
    });
    socket.write(text);
    await once(socket, 'close');
    return said;
  };

  it('[SAFE5] forwards a request to the same public address that was checked', async () => {
    const said = await speak(
      'POST http://example.com:8080/a?b=c HTTP/1.1\r\nHost: x\r\nProxy-Authorization: y\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
    );
    expect(said).toMatch(/^HTTP\/1.1 200[^]*POST example.com:8080 \/a\?b=c hi/);
    expect(reached).toEqual([`${PUBLIC}:8080`]);
  });

  it('[SAFE5] opens a tunnel to a public address', async () => {
    const said = await speak(
      'CONNECT example.com:443 HTTP/1.1\r\n\r\n',
      'GET /t HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n',
    );
    expect(said).toContain('GET inner /t');
    expect(reached).toEqual([`${PUBLIC}:443`]);
  });

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['192.168.0.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['0.0.0.0'],
    ['::1'],
    ['fd00::1'],
    ['fe80::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    [PUBLIC, '10.0.0.1'],
  ])('[SAFE5.1] refuses a name that resolves to %s %s, before connecting', async (...addresses) => {
    names['evil.example'] = addresses;
    for (const text of [
      'CONNECT evil.example:443 HTTP/1.1\r\n\r\n',
      'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    ]) {
      expect(await speak(text)).toMatch(/^HTTP\/1.1 403[^]*not a public address/);
    }
    expect(reached).toEqual([]);
  });

  it.each([
    'CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n',
    'CONNECT [::1]:80 HTTP/1.1\r\n\r\n',
    'CONNECT 2130706433:80 HTTP/1.1\r\n\r\n',
    'CONNECT 0x7f.1:80 HTTP/1.1\r\n\r\n',
    'CONNECT unknown.example:80 HTTP/1.1\r\n\r\n',
    'CONNECT example.com HTTP/1.1\r\n\r\n',
    'CONNECT example.com:0 HTTP/1.1\r\n\r\n',
    'CONNECT user@example.com@127.0.0.1:80 HTTP/1.1\r\n\r\n',
    'GET http://localhost/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
    'GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
    'nonsense\r\n\r\n',
  ])('refuses %j', async (text) => {
    expect(await speak(text)).toMatch(/^HTTP\/1.1 4\d\d/);
    expect(reached).toEqual([]);
  });

  it('closes all its connections when it is closed', async () => {
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    // Wait until the connection is in use; closing it before it was accepted would prove nothing.
    socket.write('CONNECT example.com:443 HTTP/1.1\r\n\r\n');
    await once(socket, 'data');
    gateway.close();
    await closed;
    expect(listener.listening).toBe(false);
  });

  it('[SAFE5] limits concurrent connections: a program in the sandbox must not use up our sockets', async () => {
    const { port } = listener.address() as AddressInfo;
    let cut = 0;
    const sockets = Array.from({ length: 600 }, () =>
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', () => (cut += 1)),
    );
    await expect.poll(() => cut).toBe(600 - 512);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => cut).toBe(600);
    expect(await speak('GET http://example.com/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('200');
  });
});
