import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const pinned = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).dependencies;

/** npm can search for minutes for a version that isn't there. */
const LONGEST_MS = 120_000;

/** The number of packages and megabytes added by installing only this package. */
const WANTED = {
  'ai-sdk': ['ai'],
  'openai-agents': ['@openai/agents'],
  langgraph: ['@langchain/langgraph', '@langchain/core', 'langchain'],
  mastra: ['@mastra/core'],
};

export function installSizes(tell) {
  const sizes = {};
  for (const [name, packages] of Object.entries(WANTED)) {
    const wanted = packages.map((one) => `${one}@${pinned[one]}`);
    try {
      sizes[name] = inFolder((folder) => sizeOf(folder, wanted));
      tell(`  ${name}`);
    } catch (error) {
      // A package that it depends on may have left the registry.
      tell(`  ${name}: can't be installed (${error.message})`);
    }
  }
  sizes['ours-normal'] = inFolder((folder) => {
    const packed = execFileSync('npm', ['pack', '--workspaces', '--silent', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    return sizeOf(
      folder,
      packed
        .trim()
        .split('\n')
        .map((file) => `./${file}`),
    );
  });
  tell('  ours');
  return sizes;
}

function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeOf(folder, packages) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', ...packages], {
    cwd: folder,
    stdio: 'ignore',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const count = Object.keys(lock.packages).filter((path) => path !== '').length;
  return { packages: count, mib: bytesIn(join(folder, 'node_modules')) / 2 ** 20 };
}

function bytesIn(path) {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
