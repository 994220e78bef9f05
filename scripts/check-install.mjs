// Packs every package, installs `countersign` from the tarballs into an empty folder with each supported Node version, and uses it. Requires a
// registry.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  checkTypes,
  installFromRegistry,
  LIMITS,
  measure,
  pack,
  runReadme,
  tryCommand,
  tryPostgres,
  tryServer,
} from './installed.mjs';

const VERSIONS = (process.env['INSTALL_NODES'] ?? '20,22,24').split(',');

const run = promisify(execFile);
const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages');
const folder = mkdtempSync(join(tmpdir(), 'countersign-install-'));
let failed = 0;

try {
  const tarballs = await pack(folder, readdirSync(packages));
  const needed = tarballs.filter((file) => /\/countersign(?:-web)?-\d[^/]*$/.test(file));
  console.log(`packed ${tarballs.length} packages; countersign needs ${needed.length} of them`);
  for (const version of VERSIONS) await check(version, needed);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failed > 0) process.exit(1);

/** @param {string} version @param {string[]} tarballs */
async function check(version, tarballs) {
  const env = { ...process.env, PATH: `${await installNode(version)}${delimiter}${process.env['PATH'] ?? ''}` };
  const app = join(folder, `app-${version}`);
  mkdirSync(app);
  await installFromRegistry(app, tarballs, env);
  const { stdout } = await run('node', ['--version'], { env });
  const { packages: count, megabytes, unwanted } = measure(app);
  console.log(`Node ${stdout.trim()}: ${count} packages, ${megabytes} MB`);
  const printed = await runReadme(app, env);
  const { health, page, isApp } = await tryCommand(app, env);
  const postgres = await tryPostgres(app, env);
  const mounted = await tryServer(app, env);
  const types = await checkTypes(app);
  const problems = [
    ...(count > LIMITS.packages ? [`more than ${LIMITS.packages} packages`] : []),
    ...(megabytes > LIMITS.megabytes ? [`more than ${LIMITS.megabytes} MB`] : []),
    ...unwanted.map((name) => `installs ${name}`),
    ...(printed.endsWith('\nidle\n') ? [] : [`the README's program printed:\n${printed}`]),
    ...(health === 200 && page === 200 && isApp ? [] : [`npx countersign: health ${health}, page ${page}`]),
    ...(postgres.includes('npm install countersign pg@') ? [] : [`without pg, the command printed:\n${postgres}`]),
    ...(mounted === '401 200' ? [] : [`countersign/server answered: ${mounted}`]),
    ...(types === '' ? [] : [`its types:\n${types}`]),
  ];
  failed += problems.length;
  for (const problem of problems) console.error(`Node ${version}: ${problem}`);
}

/** Installs this major version of Node from the registry and returns the folder that contains its binary. @param {string} version */
async function installNode(version) {
  const place = join(folder, `node-${version}`);
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
  const name = `node-${process.platform}-${process.arch}`;
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${version}`], { cwd: place });
  return join(place, 'node_modules', name, 'bin');
}
