import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from './sandbox.js';

/** Only in a network of one's own may this be said: there every port is free to everybody in it. */
const OPEN_PORTS = 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; exec "$@"';

/**
 * Words that start what follows in a network of its own, in which whoever it is may listen at every port: 53 and 443 too. Undefined where
 * no such network can be made around a sandbox; then a proxy is the only way out.
 */
export function ownNetworkWords({
  program,
  userNamespace,
}: Pick<Extract<Sandbox, { kind: 'bubblewrap' }>, 'program' | 'userNamespace'>): string[] | undefined {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !userNamespace.includes('--unshare-user')) return undefined;
  const asRoot = isRoot ? [] : ['--unshare-user', '--uid', '0', '--gid', '0', '--cap-add', 'ALL'];
  return [
    ...[program, ...asRoot, '--unshare-net', '--die-with-parent', '--dev-bind', '/', '/'],
    ...['/bin/sh', '-c', OPEN_PORTS, 'network'],
  ];
}

/** bubblewrap's words by which programs in it ask ourselves for the address of a name. */
export async function nameServiceWords(temporary: string): Promise<string[]> {
  // Where there is none, programs ask their own machine anyway.
  const place = await realpath('/etc/resolv.conf').catch(() => undefined);
  if (place === undefined) return [];
  const file = join(temporary, 'resolv.conf');
  await writeFile(file, 'nameserver 127.0.0.1\n', { mode: 0o644 });
  return ['--ro-bind', file, place];
}
