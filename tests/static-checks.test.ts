import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { goEnvironment } from '../scripts/go-environment.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The checks use all cores, so they take several times as long while other tests run. */
const LIMIT_MS = 600_000;

// Each check is a test, so that a type error or a floating promise is reported like any other failure.
it.each(['typecheck', 'lint', 'format:check'])(
  'npm run %s finds nothing',
  async (script) => {
    const env = { ...goEnvironment, ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    // Asynchronous: Vitest treats a worker that blocks its event loop as crashed.
    const said = await promisify(execFile)('npm', ['run', '--silent', script], {
      cwd: root,
      env,
      maxBuffer: 100_000_000,
    }).then(
      () => '',
      (error: unknown) => {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return `${stdout}${stderr}` || String(error);
      },
    );
    expect(said).toBe('');
  },
  LIMIT_MS,
);
