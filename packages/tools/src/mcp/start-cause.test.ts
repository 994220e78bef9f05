import { expect, it } from 'vitest';
import { packageRunner, startCause } from './start-cause.js';

const sandbox = { kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec' } as const;
const definition = (command: string, args: string[], network: boolean) => ({
  name: 'files',
  transport: 'stdio' as const,
  command,
  args,
  env: {},
  network,
  trusted: false,
  enabled: true,
});

it('[A46.2] recognizes commands that download what they run', () => {
  const runners = [
    'npx -y x',
    '/usr/local/bin/npx x',
    'npx.cmd x',
    'npm exec x',
    'npm --yes x y',
    'pnpm dlx x',
    'bunx x',
  ];
  for (const words of [...runners, 'bun x y', 'yarn dlx x', 'uvx x', 'uv tool run x', 'pipx run x']) {
    const [command = '', ...args] = words.split(' ');
    expect([words, packageRunner(command, args)]).not.toEqual([words, undefined]);
  }
  for (const words of ['node npx', 'npm run x', 'npm', 'python -m npx', 'pipx list']) {
    const [command = '', ...args] = words.split(' ');
    expect([words, packageRunner(command, args)]).toEqual([words, undefined]);
  }
  expect(packageRunner('npm', ['--yes', 'exec', 'x'])).toBe('npm exec');
});

it('[A46.2] names a missing network for package runners, and for other commands only if they never answered', () => {
  const cause = (command: string, isSilent: boolean, network = false) =>
    startCause({ definition: definition(command, [], network), sandbox, refused: [], isSilent });
  expect(cause('npx', false)).toEqual({ code: 'no-network', runner: 'npx' });
  expect(cause('node', true)).toEqual({ code: 'no-network' });
  expect(cause('node', false)).toBeUndefined();
  expect(cause('npx', true, true)).toBeUndefined();
  const outside = { kind: 'none', reason: 'no bubblewrap' } as const;
  expect(
    startCause({ definition: definition('npx', [], false), sandbox: outside, refused: [], isSilent: true }),
  ).toBeUndefined();
});

it('[A46.2] names a refused address with the rule that would allow it', () => {
  const cause = (...refused: { host: string; address: string; port?: number }[]) =>
    startCause({ definition: definition('npx', [], true), sandbox, refused, isSilent: true });
  const looked = { host: 'mirror.corp', address: '10.0.0.5' };
  const rule = 'allow sandbox_network(10.0.0.5:4873)';
  expect(cause(looked, { ...looked, port: 4873 })).toEqual({ code: 'refused-host', ...looked, port: 4873, rule });
  expect(cause(looked)).toMatchObject({ rule: 'allow sandbox_network(10.0.0.5:PORT)' });
  expect(cause({ host: 'v6.corp', address: 'fd00::1', port: 80 })).not.toHaveProperty('rule');
});
