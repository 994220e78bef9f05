import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readServerName } from './read-server-name.js';

/**
 * Which connections may go to a host. `any`: all. `named`: TLS only if it names the host, because one address can serve many hosts; other
 * protocols too. `tls`: only TLS that names it.
 */
export type Requires = 'any' | 'named' | 'tls';

/** Joins a program's connection to the one outside, and ends one with the other. */
export function joinSockets(
  inside: Duplex,
  outside: Socket,
  { host, requires }: { host: string; requires: Requires },
): void {
  outside.pipe(inside);
  outside.once('close', () => inside.destroy());
  inside.once('close', () => outside.destroy());
  if (requires === 'any') {
    inside.pipe(outside);
    return;
  }
  let held = Buffer.alloc(0);
  const check = (bytes: Buffer): void => {
    held = Buffer.concat([held, bytes]);
    const first = readServerName(held);
    if (first.kind === 'incomplete') return;
    inside.off('data', check);
    if (!isAllowed(first.kind === 'other' ? undefined : (first.name ?? ''), { host, requires })) {
      inside.destroy();
      return;
    }
    outside.write(held);
    inside.pipe(outside);
  };
  // It may have been paused until the other side was connected.
  inside
    .on('data', check)
    .once('end', () => outside.end())
    .resume();
}

/** `name`: undefined if it is not TLS, empty if it names no host. */
function isAllowed(name: string | undefined, { host, requires }: { host: string; requires: Requires }): boolean {
  return name === undefined ? requires !== 'tls' : name === host.toLowerCase().replace(/\.$/, '');
}
