import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeIn } from '../outcome.js';
import type { Canaries } from './canaries.js';
import type { AttackScene, SecretPlace, SocketPlace } from './run-attacks.js';

export const secretOf = (place: SecretPlace | 'environment', seed: string): string =>
  `drill-secret-${createHash('sha256').update(`${place} ${seed}`).digest('hex').slice(0, 20)}`;

/** Writes a secret to each place where that is possible. `isScene`: system folders are the drill's own. */
export async function plantSecrets(
  { home, folder }: { home: string; folder: string },
  { seed, isScene }: { seed: string; isScene: boolean },
): Promise<AttackScene['secrets']> {
  const own: Readonly<Record<SecretPlace, string | undefined>> = {
    ssh: join(home, '.ssh/id_rsa'),
    cloud: join(home, '.aws/credentials'),
    document: join(home, 'Documents/letter.txt'),
    denied: join(folder, 'denied.txt'),
    otherHome: isScene ? '/home/drill-other/.ssh/id_rsa' : undefined,
    opt: isScene ? '/opt/drill/key' : undefined,
    srv: isScene ? '/srv/drill/key' : undefined,
    disk: isScene ? '/mnt/drill-disk/key' : undefined,
  };
  const planted = Object.entries(own).map(async ([place, path]) => {
    if (path === undefined) return [place, undefined] as const;
    const done = await writeIn(path, secretOf(place as SecretPlace, seed)).then(
      () => true,
      () => false,
    );
    return [place, done ? path : undefined] as const;
  });
  return Object.fromEntries(await Promise.all(planted)) as AttackScene['secrets'];
}

/** Listens where services listen. Those that appear late are only named here. */
export async function plantSockets(
  { home, folder }: { home: string; folder: string },
  { canaries, isScene }: { canaries: Canaries; isScene: boolean },
): Promise<AttackScene['sockets']> {
  const uid = process.getuid?.() ?? 0;
  const at = async (path: string): Promise<string | undefined> =>
    isScene && (await canaries.listenAt(path)) ? path : undefined;
  const sshAgent = join(home, '.ssh/agent.sock');
  await mkdir(dirname(sshAgent), { recursive: true });
  const sockets: Record<SocketPlace, string | undefined> = {
    docker: await at('/run/docker.sock'),
    sshAgent: (await canaries.listenAt(sshAgent)) ? sshAgent : undefined,
    systemBus: await at('/run/dbus/system_bus_socket'),
    sessionBus: await at(`/run/user/${uid}/bus`),
    late: join(folder, 'late.sock'),
    lateHome: join(home, 'late.sock'),
  };
  return sockets;
}

/** The content of a folder, so that two moments can be compared. Without sockets, which the drill itself adds. */
export function readTree(folder: string): string {
  const hash = createHash('sha256');
  const enter = (path: string, below: string): void => {
    for (const name of readdirSync(path).toSorted()) {
      const one = join(path, name);
      const stats = lstatSync(one);
      if (stats.isSocket()) continue;
      hash.update(`${join(below, name)}\0${stats.mode}\0`);
      if (stats.isDirectory()) enter(one, join(below, name));
      else hash.update(stats.isSymbolicLink() ? readlinkSync(one) : readFileSync(one)).update('\0');
    }
  };
  enter(folder, '');
  return hash.digest('hex');
}

/** Large, or of Countersign itself: the drafts with what the attacks wrote. */
const NOT_SEARCHED = ['.npm-global', 'countersign-drafts', 'countersign', 'node_modules'];

/** Whether what the attacks write is in a file, or is the name of one, in these folders. */
export function findWritten(folders: readonly string[]): boolean {
  const isIn = (path: string): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    if (stats.isFile()) return stats.size < 1_000_000 && readFileSync(path).includes('drill-write');
    if (!stats.isDirectory()) return false;
    return readdirSync(path).some(
      (name) =>
        name === 'drill-write' || (!NOT_SEARCHED.some((other) => name.startsWith(other)) && isIn(join(path, name))),
    );
  };
  return folders.some((folder) => existsSync(folder) && isIn(folder));
}

/** The processes that have this mark on their command lines. */
export function findMarked(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);
}
