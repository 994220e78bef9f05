import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lchownSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../command-error.js';
import { drill as texts } from '../../words/gate.js';

/** The user that everything of a managed drill runs as, except what an administrator does. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

const OUTSIDE = 'COUNTERSIGN_DRILL_OUTSIDE';
const NOBODY = '65534';
/** Writes to `/etc` go to memory, in a mount namespace that ends with the drill. */
const SETUP = `mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" overlay /etc
shift
exec "$@"`;

const namespace = (): string => readlinkSync('/proc/self/ns/mnt');

/** Whether this process may write to `/etc`, because nothing outside of it sees that. */
export function isInScene(): boolean {
  const outside = process.env[OUTSIDE];
  return outside !== undefined && outside !== namespace();
}

/** Runs this command again where it may write to `/etc`, and returns its exit code. */
export async function runInScene(): Promise<number> {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) throw new CommandError(texts.managedNeedsRoot);
  const folder = mkdtempSync('/var/tmp/countersign-etc-');
  try {
    const own = ['sh', '-ec', SETUP, 'sh', folder, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const env = { ...process.env, [OUTSIDE]: namespace() };
    const child = spawn('unshare', ['--mount', '--propagation', 'private', ...own], { stdio: 'inherit', env });
    const [code] = (await once(child, 'exit').catch((error: unknown) => {
      throw new CommandError(texts.noNamespace(String(error)));
    })) as [number | null];
    return code ?? 1;
  } finally {
    rmdirSync(folder);
  }
}

/** A user whose home folder is this one: the one who called `sudo`, or else nobody. */
export function createUser(home: string): RunAs {
  const { SUDO_UID: uid = NOBODY, SUDO_GID: gid = NOBODY } = process.env;
  const others = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && line.split(':')[2] !== uid);
  writeFileSync('/etc/passwd', [...others, `drilled:x:${uid}:${gid}::${home}:/bin/sh`, ''].join('\n'));
  return { uid: Number(uid), gid: Number(gid) };
}

/** Gives a folder and all that is in it to the user. */
export function giveTo({ uid, gid }: RunAs, folder: string): void {
  lchownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid);
}
