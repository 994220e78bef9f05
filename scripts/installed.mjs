// Installs the tarballs from `npm pack` into an empty folder and uses them like a newcomer: the README's program, its types, and `npx
// countersign`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

/** Limits for `node_modules` after `npm install countersign`. Megabytes are the sum of the file sizes, without the file system's overhead. */
export const LIMITS = { packages: 36, megabytes: 60 };

/** Packages that must not be installed for a program that uses only the library (ADR 0036). */
const UNWANTED = [
  'react',
  'hono',
  'openai',
  '@anthropic-ai/sdk',
  '@google/genai',
  '@modelcontextprotocol/client',
  'pg',
];

/**
 * Packs these packages and returns their tarballs.
 *
 * @param {string} folder
 * @param {string[]} names folders below packages/
 */
export async function pack(folder, names) {
  const words = names.flatMap((name) => ['-w', `packages/${name}`]);
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder, ...words], {
    cwd: root,
    maxBuffer: 100_000_000,
  });
  const packed = /** @type {{ filename: string }[]} */ (JSON.parse(stdout));
  return packed.map(({ filename }) => join(folder, filename));
}

/**
 * Runs `npm install` like a newcomer.
 *
 * @param {string} folder
 * @param {string[]} tarballs
 * @param {NodeJS.ProcessEnv} env
 */
export async function installFromRegistry(folder, tarballs, env) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs], {
    cwd: folder,
    env,
  });
}

/**
 * Installs the same packages without a registry: unpacks the tarballs and copies their dependencies from this checkout.
 *
 * @param {string} folder
 * @param {string[]} tarballs
 */
export async function installFromCheckout(folder, tarballs) {
  const modules = join(folder, 'node_modules');
  for (const tarball of tarballs) {
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', unpacked]);
    const { name } = manifestIn(join(unpacked, 'package'));
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    renameSync(join(unpacked, 'package'), join(modules, name));
    rmSync(unpacked, { recursive: true });
  }
  for (const name of readdirSync(join(root, 'packages')))
    if (existsSync(join(modules, manifestIn(join(root, 'packages', name)).name)))
      copyDependencies(join(root, 'packages', name), modules);
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../countersign/bin/countersign.js', join(modules, '.bin', 'countersign'));
}

/**
 * Copies what a package of this checkout depends on. A version that npm nested in another package is copied with that package.
 *
 * @param {string} folder
 * @param {string} modules
 */
function copyDependencies(folder, modules) {
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    const from = findPackage(folder, name);
    const isNested = from.indexOf('node_modules') !== from.lastIndexOf('node_modules');
    if (!isNested) {
      if (existsSync(join(modules, name))) continue;
      cpSync(from, join(modules, name), { recursive: true });
    }
    copyDependencies(from, modules);
  }
}

/**
 * Finds a dependency as Node does: in the nearest `node_modules`.
 *
 * @param {string} folder
 * @param {string} name
 * @returns {string}
 */
function findPackage(folder, name) {
  const found = join(folder, 'node_modules', name);
  return existsSync(found) || folder === root ? found : findPackage(dirname(folder), name);
}

/**
 * Measures `node_modules`. Packages are folders with a name and a version, nested ones included.
 *
 * @param {string} folder
 */
export function measure(folder) {
  const modules = join(folder, 'node_modules');
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  const packages = files.filter((file) => /(?:^|\/node_modules\/)(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(file));
  const bytes = files.reduce((sum, file) => {
    const stats = statSync(join(modules, file));
    return stats.isFile() ? sum + stats.size : sum;
  }, 0);
  return {
    packages: packages.length,
    megabytes: Math.round(bytes / 100_000) / 10,
    unwanted: UNWANTED.filter((name) => existsSync(join(modules, name))),
  };
}

/**
 * Runs the program in the installed README and returns its output.
 *
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export async function runReadme(folder, env) {
  writeFileSync(join(folder, 'program.mjs'), readmeProgram(folder));
  const { stdout } = await run('node', ['program.mjs'], { cwd: folder, env });
  return stdout;
}

/**
 * Type-checks that program and every other export, with the declarations of every package they reach.
 *
 * @param {string} folder
 */
export async function checkTypes(folder) {
  const { exports = {} } = manifestIn(join(folder, 'node_modules', 'countersign'));
  const modules = Object.keys(exports).filter((name) => !name.endsWith('.json'));
  const imports = modules.map((name) => `import '${name.replace('.', 'countersign')}';\n`);
  writeFileSync(join(folder, 'program.mts'), `${imports.join('')}${readmeProgram(folder)}`);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules', '@types')];
  try {
    await run(process.execPath, [tsc, ...options, ...types, 'program.mts'], { cwd: folder });
    return '';
  } catch (error) {
    return /** @type {{ stdout: string }} */ (error).stdout;
  }
}

/**
 * Starts `npx countersign serve`, requests its health endpoint and its page, and stops it with Ctrl+C.
 *
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export async function tryCommand(folder, env) {
  // A separate process group, because a terminal sends Ctrl+C to both npx and the server.
  const server = spawn('npx', ['--no', 'countersign', 'serve', '--port', '0', '--no-open', '--json'], {
    cwd: folder,
    env: { ...env, COUNTERSIGN_HOME: join(folder, 'home'), LOG_LEVEL: 'error', DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // Rejects if npx can't be started.
  await once(server, 'spawn');
  const exited = once(server, 'exit');
  try {
    const [line] = /** @type {string[]} */ (
      await Promise.race([once(createInterface(server.stdout), 'line'), exited.then(() => [])])
    );
    if (line === undefined) throw new Error('npx countersign ended before it listened.');
    const { url } = /** @type {{ url: string }} */ (JSON.parse(line));
    const [health, page] = await Promise.all([fetch(`${url}/api/health`), fetch(url)]);
    const body = await page.text();
    return { health: health.status, page: page.status, isApp: body.includes('<title>Countersign</title>') };
  } finally {
    // Without a process id, this would signal our own process group.
    if (server.pid !== undefined && server.exitCode === null && server.signalCode === null) {
      process.kill(-server.pid, 'SIGINT');
    }
    await exited;
  }
}

/**
 * The output of the command if PostgreSQL is configured without its optional packages.
 *
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export async function tryPostgres(folder, env) {
  const command = join(folder, 'node_modules', '.bin', 'countersign');
  try {
    await run(command, ['serve', '--port', '0', '--no-open'], {
      cwd: folder,
      env: { ...env, COUNTERSIGN_HOME: join(folder, 'home'), DATABASE_URL: 'postgres://127.0.0.1:1/nothing' },
    });
    return '';
  } catch (error) {
    return /** @type {{ stderr: string }} */ (error).stderr;
  }
}

/** @param {string} folder */
function readmeProgram(folder) {
  const readme = readFileSync(join(folder, 'node_modules', 'countersign', 'README.md'), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}

/** @param {string} folder */
function manifestIn(folder) {
  return /** @type {{ name: string, dependencies?: Record<string, string>, exports?: Record<string, unknown> }} */ (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  );
}

/** A program that mounts the API in its own server, and calls it once without and once with its token. */
const SERVER_PROGRAM = `
import { openWorld } from 'countersign';
import { mountCountersign } from 'countersign/server';
const world = await openWorld(':memory:');
const { fetch } = mountCountersign(world, { token: 'a-token-of-the-install-check-1234567890' });
const ask = async (headers) => (await fetch(new Request('http://localhost/api/worlds', { headers }))).status;
console.log(await ask({}), await ask({ authorization: 'Bearer a-token-of-the-install-check-1234567890' }));
await world.close();
`;

/**
 * Uses `countersign/server`. Returns what the program printed: the two statuses.
 *
 * @param {string} app
 * @param {NodeJS.ProcessEnv} env
 */
export async function tryServer(app, env) {
  const file = join(app, 'mounted.mjs');
  writeFileSync(file, SERVER_PROGRAM);
  return (await run('node', [file], { cwd: app, env })).stdout.trim();
}
