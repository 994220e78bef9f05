import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from './sandbox.js';

/** Only works in a separate network namespace, where any user may then bind any port. */
const OPEN_PORTS = 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; exec "$@"';

/**
 * Arguments that start the following program in its own network, where it may listen on any port, including 53 and 443. Undefined if no such
 * network can be created around a sandbox; the proxy is then the only way out.
 */
export function ownNetworkArguments({
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

/** Bubblewrap options that make programs inside use our DNS. */
export async function nameServiceArguments(temporary: string): Promise<string[]> {
  // If this file is missing, programs query the local machine anyway.
  const place = await realpath('/etc/resolv.conf').catch(() => undefined);
  if (place === undefined) return [];
  const file = join(temporary, 'resolv.conf');
  await writeFile(file, 'nameserver 127.0.0.1\n', { mode: 0o644 });
  return ['--ro-bind', file, place];
}
