import { copyFile, mkdir, realpath, rm, symlink } from 'node:fs/promises';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Set in the process that runs in namespaces of the drill's own. */
export const SCENE = 'COUNTERSIGN_DRILL_SCENE';

/** Folders that only root could write to. In the drill, each is another one. */
export const COVERED = ['/opt', '/srv', '/mnt', '/media', '/home', '/run'] as const;

/**
 * Starts this command again where the covered folders are empty and ours, so that secrets and sockets can be planted in them. What this program
 * needs of them stays visible. Undefined if that is not possible here; the rows that need it are then not tried.
 */
export async function enterScene(folder: string, needed: readonly string[]): Promise<number | undefined> {
  const program = ['/usr/bin/bwrap', '/bin/bwrap'].find((one) => existsSync(one));
  if (program === undefined) return undefined;
  const real = await Promise.all(needed.map((path) => realpath(path)));
  const covers = COVERED.filter((path) => existsSync(path)).flatMap((path) => [
    ...['--tmpfs', path],
    ...real.filter((one) => one.startsWith(`${path}${sep}`)).flatMap((one) => ['--ro-bind', one, one]),
  ]);
  const words = ['--dev-bind', '/', '/', ...covers, '--die-with-parent'];
  const works = await run(program, [...words, 'true']).then(
    () => true,
    () => false,
  );
  if (!works) return undefined;
  const child = spawn(program, [...words, '--', process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, [SCENE]: folder },
    stdio: 'inherit',
  });
  return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** Copies an installed agent, and Node, into the home of the drill, where a run sees them. Returns the folder of the programs. */
export async function installAgent(home: string, program: string, bin: string): Promise<string> {
  const prefix = join(home, '.npm-global');
  const programs = join(prefix, 'bin');
  await mkdir(programs, { recursive: true });
  await copyFile(process.execPath, join(programs, 'node'));
  const real = await realpath(bin);
  const at = real.lastIndexOf(`${sep}node_modules${sep}`);
  const above = real.slice(0, at);
  if (at < 0) {
    await copyFile(real, join(programs, program));
    return programs;
  }
  const modules = join(above, 'node_modules');
  const to = join(prefix, 'lib', 'node_modules');
  const inside = real.slice(modules.length + 1);
  const name = inside.split(sep).slice(0, inside.startsWith('@') ? 2 : 1);
  // Of a global folder, only this package: it holds all that it needs.
  const what = basename(above) === 'lib' ? join(modules, ...name) : modules;
  const target = basename(above) === 'lib' ? join(to, ...name) : to;
  await mkdir(dirname(target), { recursive: true });
  // Links take no space and no time, but only within a disk, and only of one's own files.
  await run('cp', ['-al', what, target]).catch(async () => {
    // Some of it may be there already.
    await rm(target, { recursive: true, force: true });
    await run('cp', ['-a', what, target]);
  });
  await symlink(join('..', 'lib', 'node_modules', inside), join(programs, program));
  return programs;
}
