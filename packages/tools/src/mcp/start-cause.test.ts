import { expect, it } from 'vitest';
import type { Sandbox } from '../sandbox/sandbox.js';
import { startCause } from './start-cause.js';

const sandbox = { kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec' } as const;
const definition = (command: string, args: string[], network: boolean | { hosts: string[] }) => ({
  name: 'files',
  transport: 'stdio' as const,
  command,
  args,
  env: {},
  network,
  trusted: false,
  enabled: true,
});

it('[MCP1.2] names a missing network for package runners, and for other commands only if they never answered', () => {
  const cause = (command: string, isSilent: boolean, network = false) =>
    startCause({ definition: definition(command, [], network), sandbox, refused: [], unlisted: [], isSilent });
  expect(cause('npx', false)).toEqual({ code: 'no-network', runner: 'npx' });
  expect(cause('node', true)).toEqual({ code: 'no-network' });
  expect(cause('node', false)).toBeUndefined();
  expect(cause('npx', true, true)).toBeUndefined();
  const outside = { kind: 'none', reason: 'no bubblewrap' } as const;
  expect(
    startCause({
      definition: definition('npx', [], false),
      sandbox: outside,
      refused: [],
      unlisted: [],
      isSilent: true,
    }),
  ).toBeUndefined();
});

it('[MCP1.2] names a refused address with the rule that would allow it', () => {
  const cause = (...refused: { host: string; address: string; port?: number }[]) =>
    startCause({ definition: definition('npx', [], true), sandbox, refused, unlisted: [], isSilent: true });
  const looked = { host: 'mirror.corp', address: '10.0.0.5' };
  const rule = 'allow sandbox_network(10.0.0.5:4873)';
  expect(cause(looked, { ...looked, port: 4873 })).toEqual({ code: 'refused-host', ...looked, port: 4873, rule });
  expect(cause(looked)).toMatchObject({ rule: 'allow sandbox_network(10.0.0.5:PORT)' });
  expect(cause({ host: 'v6.corp', address: 'fd00::1', port: 80 })).not.toHaveProperty('rule');
});

it('[MCP3.2] names the hosts that a package runner needs, where a sandbox can be limited to them', () => {
  const sandbox = { kind: 'bubblewrap', program: 'bwrap', userNamespace: [], sizeArguments: [] } as unknown as Sandbox;
  const hosts = (registry: string | undefined, ...args: string[]) =>
    startCause({
      ...{ definition: definition('npx', args, false), sandbox, refused: [], unlisted: [], isSilent: false, registry },
    });
  expect(hosts(undefined, '-y', 'x')).toEqual({ code: 'no-network', runner: 'npx', hosts: ['registry.npmjs.org'] });
  expect(hosts('https://npm.example.org/')).toMatchObject({ hosts: ['npm.example.org'] });
  expect(hosts('https://npm.example.org/', '--registry=https://own.example')).toMatchObject({ hosts: ['own.example'] });
  expect(hosts(undefined, '--registry', 'https://own.example')).toMatchObject({ hosts: ['own.example'] });
});

it('[MCP3.4] names a host that is not in the server’s list', () => {
  const limited = definition('npx', [], { hosts: ['a.example'] });
  expect(startCause({ definition: limited, sandbox, refused: [], unlisted: ['b.example'], isSilent: false })).toEqual({
    code: 'unlisted-host',
    host: 'b.example',
    hosts: ['a.example', 'b.example'],
  });
  expect(startCause({ definition: limited, sandbox, refused: [], unlisted: [], isSilent: true })).toBeUndefined();
});
