import { expect, it } from 'vitest';
import { mcpCauseFixes, mcpCauseText } from './mcp-cause-text.js';

it('[MCP1.2] names the sandbox and says what to do', () => {
  expect(mcpCauseText({ code: 'no-network', runner: 'npx' })).toBe(
    "npx needs the network to download packages, but this server's sandbox has no network access. Allow network access, or install the package first.",
  );
  expect(mcpCauseText({ code: 'no-network' })).toContain('If the server needs it, allow it.');
  expect(mcpCauseFixes({ code: 'no-network' })).toEqual([{ kind: 'network' }]);
});

it('[MCP1.2] names the refused address, and the rule that would allow it', () => {
  const rule = 'allow sandbox_network(10.0.0.5:4873)';
  const refused = { code: 'refused-host', host: 'mirror.corp', address: '10.0.0.5', port: 4873, rule } as const;
  expect(mcpCauseText(refused)).toBe(
    `This server's sandbox refused a connection to mirror.corp:4873 (10.0.0.5), because it is not a public address. This rule would allow it: ${rule}`,
  );
  expect(mcpCauseFixes(refused)).toEqual([{ kind: 'rule', rule }]);
  const { port: _, ...named } = refused;
  expect(mcpCauseFixes(named)).toEqual([]);
  const forbidden = { code: 'refused-host', host: '::1', address: '::1' } as const;
  expect(mcpCauseText(forbidden)).toContain('No rule can allow it.');
  expect(mcpCauseFixes(forbidden)).toEqual([]);
});

it('[MCP3] offers the hosts that are needed before the whole network', () => {
  const npm = { code: 'no-network', runner: 'npx', hosts: ['registry.npmjs.org'] } as const;
  expect(mcpCauseText({ ...npm, hosts: [...npm.hosts] })).toBe(
    "npx needs the network to download packages, but this server's sandbox has no network access. Allow npm's registry (registry.npmjs.org) for this server, or install the package first.",
  );
  expect(mcpCauseText({ code: 'no-network', runner: 'uvx', hosts: ['pypi.org', 'files.pythonhosted.org'] })).toContain(
    'Allow pypi.org and files.pythonhosted.org for this server',
  );
  const unlisted = { code: 'unlisted-host', host: 'b.example', hosts: ['a.example', 'b.example'] };
  expect(mcpCauseText({ ...unlisted, code: 'unlisted-host' })).toContain('refused a connection to b.example');
  expect(mcpCauseFixes({ ...unlisted, code: 'unlisted-host' })).toEqual([
    { kind: 'hosts', added: ['b.example'], hosts: ['a.example', 'b.example'] },
    { kind: 'network' },
  ]);
});
