import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleCommand } from '../../scripts/bundle-command.mjs';
import { goEnvironment } from '../../scripts/go-environment.mjs';
import type { TestProject } from 'vitest/node';
import { someChosenTest } from './chosen-tests.js';
import { root } from './source-modules.js';

/**
 * Builds once per run: child processes run `dist`, which must match the sources under test. A build that fails does not stop the run;
 * `static-checks.test.ts` reports the errors. It also checks the types, so that this doesn't have to.
 */
export default async function setup(project: TestProject): Promise<undefined> {
  if (!(await someChosenTest(project, startsPrograms))) return;
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  try {
    const env = { ...goEnvironment, ...process.env };
    // `npm test` has already run the setup.
    if (process.env['npm_lifecycle_event'] !== 'test')
      await promisify(execFile)(process.execPath, [tsc, '-b', 'packages/countersign', 'bench', '--noCheck'], {
        cwd: root,
        env,
        maxBuffer: 100_000_000,
      });
    await bundleCommand(['command', 'tests']);
  } catch {
    process.stderr.write('The build failed; tests that start child processes may run outdated code.\n');
  }
}

/** The packages below the tools start no program of ours, except in the tests of the server that say so. */
function startsPrograms(file: string, text: string): boolean {
  const isLow = /\/packages\/(?:protocol|core|client|providers|web|server)\/src\//.test(file.replaceAll('\\', '/'));
  return !isLow || /start-process|countersign\/(?:bin|dist)/.test(text);
}
