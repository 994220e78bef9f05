import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Start of the usual ephemeral port range. */
const EPHEMERAL_FROM = 32_768;
const FIRST = 10_240;

/**
 * A free loopback port below the ephemeral range, for servers that restart at the same address: no outgoing connection can take it in between.
 */
export async function freePort(): Promise<number> {
  const from = Math.max(FIRST + 1_000, Math.min(EPHEMERAL_FROM, handedOutFrom()));
  for (let tries = 0; ; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (from - FIRST));
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch (error) {
      if (tries > 100) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

function handedOutFrom(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    return EPHEMERAL_FROM;
  }
}
