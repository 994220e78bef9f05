import {
  newAgentSchema,
  newMcpServerSchema,
  worldSettingsSchema,
  type McpServerDefinition,
} from '@countersign/protocol';
import { expect, it } from 'vitest';
import { reachesBeyond, type WorldChangeOf } from './reaches-beyond.js';

const settings = (given: object) => worldSettingsSchema.parse(given);
const server = (given: object): McpServerDefinition => newMcpServerSchema.parse({ name: 'x', ...given });
const agent = (given: object) => newAgentSchema.parse({ name: 'A', provider: 'p', model: 'm', ...given });
const grants = (folders: string[], privateHosts: string[] = []) => ({
  folders,
  privateHosts,
  hosts: [],
  anyHost: false,
});
const http = (url: string, more = {}) => server({ transport: 'http', url, ...more });
const stdio = (more = {}) => server({ transport: 'stdio', command: 'npx', ...more });
const acp = { provider: 'acp', acp: { command: ['gemini'] } };

it.each<[string, WorldChangeOf, string[]]>([
  ['nothing', { kind: 'settings', after: settings({}) }, []],
  ['another mode', { kind: 'settings', before: settings({}), after: settings({ mode: 'auto' }) }, []],
  ['a folder', { kind: 'settings', after: settings({ workingDirectory: '/a' }) }, ['folder /a']],
  [
    'the same folder',
    {
      kind: 'settings',
      before: settings({ workingDirectory: '/a' }),
      after: settings({ workingDirectory: '/a', mode: 'read' }),
    },
    [],
  ],
  ['no folder', { kind: 'settings', before: settings({ workingDirectory: '/a' }), after: settings({}) }, []],
  [
    'a root',
    { kind: 'settings', before: settings({ roots: ['/a'] }), after: settings({ roots: ['/a', '/b'] }) },
    ['roots /b'],
  ],
  [
    'fewer roots',
    { kind: 'settings', before: settings({ roots: ['/a', '/b'] }), after: settings({ roots: ['/a'] }) },
    ['roots /b'],
  ],
  [
    'rules',
    {
      kind: 'rules',
      before: grants(['/a'], ['10.0.0.1:1']),
      after: grants(['/a', '/b'], ['127.0.0.1:2']),
      field: 'rules',
    },
    ['folder /b', 'address 127.0.0.1:2'],
  ],
  ['a program', { kind: 'mcp-server', isConfined: true, after: stdio() }, ['program npx']],
  [
    'a program that is off',
    { kind: 'mcp-server', isConfined: true, after: stdio({ enabled: false }) },
    ['program npx'],
  ],
  [
    'a program that is turned on',
    { kind: 'mcp-server', isConfined: true, before: stdio({ enabled: false }), after: stdio() },
    ['program npx'],
  ],
  [
    'a program that is turned off',
    { kind: 'mcp-server', isConfined: true, before: stdio(), after: stdio({ enabled: false }) },
    [],
  ],
  ['trust', { kind: 'mcp-server', isConfined: true, before: stdio(), after: stdio({ trusted: true }) }, []],
  [
    'folders of a program',
    { kind: 'mcp-server', isConfined: true, before: stdio(), after: stdio({ folders: ['/a'] }) },
    ['program npx', 'folder /a'],
  ],
  [
    'a variable of a program',
    { kind: 'mcp-server', isConfined: true, before: stdio(), after: stdio({ env: { A: 'b' } }) },
    ['program npx'],
  ],
  ['a public URL', { kind: 'mcp-server', isConfined: true, after: http('https://mcp.example.com/mcp') }, []],
  ['a private URL', { kind: 'mcp-server', isConfined: true, after: http('http://127.1:4747/') }, ['address 127.0.0.1']],
  [
    'another private URL',
    { kind: 'mcp-server', isConfined: true, before: http('https://a.com'), after: http('http://wiki/') },
    ['address wiki'],
  ],
  [
    'headers for a private URL',
    {
      kind: 'mcp-server',
      isConfined: true,
      before: http('http://wiki/'),
      after: http('http://wiki/', { headers: { a: 'b' } }),
    },
    [],
  ],
  ['an agent', { kind: 'agent', after: agent({}) }, []],
  ['an agent that is a program', { kind: 'agent', after: agent(acp) }, ['program gemini']],
  ['its name', { kind: 'agent', before: agent(acp), after: agent({ ...acp, name: 'B' }) }, ['program gemini']],
  ['turning it off', { kind: 'agent', before: agent(acp), after: agent({ ...acp, active: false }) }, []],
  ['turning it on', { kind: 'agent', before: agent({ ...acp, active: false }), after: agent(acp) }, ['program gemini']],
])('[SAFE2] %s', (_, change, reaches) => {
  expect(reachesBeyond(change).map(({ kind, what }) => `${kind} ${what}`)).toEqual(reaches);
});

it.each([
  'localhost',
  'a.localhost',
  'wiki',
  'nas.local',
  'nas.local.',
  'db.internal',
  '10.0.0.1',
  '[::1]',
  '[2606::1]',
  '2130706433',
])('[SAFE2] http://%s is private', (host) =>
  expect(reachesBeyond({ kind: 'mcp-server', isConfined: true, after: http(`http://${host}/`) })).toHaveLength(1),
);

it('[SAFE2.2] only programs outside the sandbox could sign', () => {
  const outside = (change: WorldChangeOf) => reachesBeyond(change).map((reach) => reach.outside);
  expect(outside({ kind: 'mcp-server', isConfined: true, after: stdio() })).toEqual([undefined]);
  const command = { command: 'x', args: ['--all'], env: { A: 'b' } };
  expect(outside({ kind: 'mcp-server', isConfined: false, after: { ...stdio(), ...command } })).toEqual([
    ['A=b', 'x', '--all'],
  ]);
  expect(outside({ kind: 'agent', after: agent(acp) })).toEqual([acp.acp.command]);
});
