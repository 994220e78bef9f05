import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** From here on systems hand out ports to whoever asks for any, where they don't say otherwise. */
const HANDED_OUT_FROM = 32_768;
const FIRST = 10_240;

/**
 * A port on loopback that is free, for what must come back at the same address or can't choose one itself. None of those that a system
 * hands out by itself: between two lives of a server any connection on the machine could be given it.
 */
export async function freePort(): Promise<number> {
  const from = Math.max(FIRST + 1_000, Math.min(HANDED_OUT_FROM, handedOutFrom()));
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
    return HANDED_OUT_FROM;
  }
}
