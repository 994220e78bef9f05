import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { goEnvironment } from '../../scripts/go-environment.mjs';
import { chosenTestsMention } from './chosen-tests.js';
import { root } from './source-modules.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder where each static check leaves what it found. */
    staticChecks: string;
  }
}

/** The linter checks the types of everything, so the compiler doesn't have to. */
export const STATIC_CHECKS = {
  lint: ['oxlint', '--type-aware', '--type-check'],
  format: ['oxfmt', '--check'],
} as const;

/** Starts the static checks once the build is done. They run beside the workers, and the test waits for them at the end of the run. */
export default async function setup(
  project: TestProject,
  built: Promise<unknown>,
): Promise<(() => Promise<void>) | undefined> {
  if (!(await chosenTestsMention(project, /inject\('staticChecks'\)/))) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'countersign-checks-'));
  project.provide('staticChecks', folder);
  const over = new AbortController();
  const ended = built.then(() => runChecks(folder, over.signal));
  return async () => {
    over.abort();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}

async function runChecks(folder: string, signal: AbortSignal): Promise<void> {
  const env = { ...goEnvironment, ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  for (const [name, [program, ...words]] of Object.entries(STATIC_CHECKS)) {
    const bin = join(root, 'node_modules', '.bin', program);
    const found = await promisify(execFile)(bin, words, { cwd: root, env, maxBuffer: 100_000_000, signal }).then(
      () => '',
      (error: unknown) => {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return `${stdout}${stderr}` || String(error);
      },
    );
    // Renamed, so that the test never reads half of it.
    await writeFile(join(folder, `${name}.partial`), found);
    await rename(join(folder, `${name}.partial`), join(folder, name));
  }
}
