import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { root } from './support/source-modules.js';

const LOCK = {
  packages: {
    '': { name: 'checkout' },
    'node_modules/typescript': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/for-another-system': { version: '1.0.0', optional: true, os: ['nowhere'] },
  },
};

/** Prints what npm prints on Node 20, and installs a compiler that does nothing. */
const NPM = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
console.error('npm warn EBADENGINE Unsupported engine');
console.log('added 2 packages in 1m');
if (process.env.NPM_FAILS === '1') { console.error('npm error the network is down'); process.exit(1); }
mkdirSync('node_modules/typescript/bin', { recursive: true });
writeFileSync('node_modules/typescript/bin/tsc', '');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const here = Object.entries(packages).filter(([path, { optional }]) => path !== '' && !optional);
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(here) }));
`;

const BUILD_WEB = `
import { mkdirSync, writeFileSync } from 'node:fs';
export function buildWeb() {
  mkdirSync('packages/web/dist', { recursive: true });
  writeFileSync('packages/web/dist/index.html', '');
  return true;
}
`;

let checkout = '';
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'countersign-setup-'));
  onTestFinished(() => rmSync(checkout, { recursive: true, force: true }));
  mkdirSync(join(checkout, 'scripts'));
  for (const name of ['setup.mjs', 'go-environment.mjs'])
    copyFileSync(join(root, 'scripts', name), join(checkout, 'scripts', name));
  writeFileSync(join(checkout, 'scripts', 'bundle-command.mjs'), 'export async function bundleCommand() {}');
  writeFileSync(join(checkout, 'scripts', 'build-web.mjs'), BUILD_WEB);
  writeFileSync(join(checkout, 'npm.js'), NPM);
  write('package-lock.json', LOCK);
});

const write = (file: string, value: unknown): void => writeFileSync(join(checkout, file), JSON.stringify(value));
const npmCalls = (): number => {
  const file = join(checkout, 'npm-calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

function setUp(env: Record<string, string> = {}, ...words: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts', 'setup.mjs'), ...words], {
    cwd: checkout,
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env['PATH'], npm_execpath: join(checkout, 'npm.js'), ...env },
  });
  return { code: status, said: stdout + stderr };
}

describe('the setup of a checkout', () => {
  it('shows progress without npm’s warnings, and nothing the second time', () => {
    expect(setUp()).toEqual({
      code: 0,
      said: 'Installing dependencies (a minute or more)…\nBuilding (a minute or more)…\n',
    });
    expect(setUp()).toEqual({ code: 0, said: '' });
    expect(npmCalls()).toBe(1);
  });

  it('does not install again after npm ci, but does after the lock file changed', () => {
    spawnSync(process.execPath, [join(checkout, 'npm.js'), 'ci'], { cwd: checkout });
    expect(setUp()).toEqual({ code: 0, said: 'Building (a minute or more)…\n' });
    expect(npmCalls()).toBe(1);
    write('package-lock.json', { packages: { ...LOCK.packages, 'node_modules/new': { version: '1.0.0' } } });
    expect(setUp()).toEqual({ code: 0, said: 'Installing dependencies (a minute or more)…\n' });
    expect(npmCalls()).toBe(2);
  });

  it('reinstalls packages that were installed for another system', () => {
    expect(setUp().code).toBe(0);
    const foreign = { ...LOCK.packages['node_modules/for-another-system'] };
    const { '': _, ...packages } = LOCK.packages;
    write('node_modules/.package-lock.json', { packages: { ...packages, 'node_modules/for-another-system': foreign } });
    expect(setUp().said).toContain('Installing');
  });

  it('installs programs for the tests while npm installs packages', () => {
    // Ends once npm has started.
    const install = `import { existsSync } from 'node:fs';
      export async function installMissingPrograms() {
        while (!existsSync('npm-calls')) await new Promise((done) => setTimeout(done));
        console.log('Installed.');
      }`;
    writeFileSync(join(checkout, 'scripts', 'install-programs.mjs'), install);
    expect(setUp().said).not.toContain('Installed.');
    rmSync(join(checkout, 'npm-calls'));
    rmSync(join(checkout, 'node_modules'), { recursive: true });
    expect(setUp({}, '--keep-going')).toMatchObject({ code: 0, said: expect.stringContaining('Installed.') as string });
  });

  it('shows all of npm’s output if it fails', () => {
    const { code, said } = setUp({ NPM_FAILS: '1' });
    expect(code).toBe(1);
    expect(said).toContain('npm error the network is down\nnpm could not install the dependencies');
  });
});
