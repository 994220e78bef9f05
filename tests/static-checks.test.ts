import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

// A type error or a floating promise fails the test run by name and is counted like any other failure.
it.each(['typecheck', 'lint', 'format:check'])(
  'npm run %s finds nothing',
  (script) => {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    });
    expect(status === 0 ? '' : `${stdout}${stderr}`).toBe('');
  },
  120_000,
);
