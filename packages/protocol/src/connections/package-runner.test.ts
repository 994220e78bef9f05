import { expect, it } from 'vitest';
import { downloadingRunner, packageHosts, packageRunner, startTimeout } from './package-runner.js';

it('[MCP1.2] recognizes commands that download what they run', () => {
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

it('[MCP3.2] knows where a package runner downloads from', () => {
  expect(packageHosts('npx')).toEqual(['registry.npmjs.org']);
  expect(packageHosts('npm exec', 'https://npm.example.org:8443/repo/')).toEqual(['npm.example.org']);
  expect(packageHosts('npx', 'nonsense')).toEqual(['registry.npmjs.org']);
  expect(packageHosts('uvx')).toEqual(['pypi.org', 'files.pythonhosted.org']);
  expect(packageHosts('uv run', 'https://npm.example.org')).toEqual(['pypi.org', 'files.pythonhosted.org']);
});

it('[MCP3.3] gives a package runner that can download more time to start', () => {
  const npx = { command: 'npx', args: ['-y', 'x'] };
  expect(startTimeout({ ...npx, network: { hosts: ['registry.npmjs.org'] } })).toBe(150_000);
  expect(startTimeout({ ...npx, network: true }, 500)).toBe(120_500);
  for (const server of [npx, { ...npx, network: false }, { command: 'node', args: ['npx'], network: true }, {}])
    expect(startTimeout(server)).toBe(30_000);
  expect(downloadingRunner({ ...npx, network: true })).toBe('npx');
});
