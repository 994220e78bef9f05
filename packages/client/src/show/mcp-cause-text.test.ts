import { expect, it } from 'vitest';
import { mcpCauseText } from './mcp-cause-text.js';

const where = { server: 'files', world: 'ops' };

it('[A46.2] mentions the sandbox and says what to do', () => {
  const allow = 'countersign mcp edit files -w ops --network';
  expect(mcpCauseText({ code: 'no-network', runner: 'npx' }, where)).toBe(
    `npx downloads packages, and this server’s sandbox has no network. Install the package first, or allow the network with: ${allow}`,
  );
  expect(mcpCauseText({ code: 'no-network' }, where)).toContain(`If the server needs one, allow it with: ${allow}`);
});

it('[A46.2] names the refused address, and the rule that would allow it', () => {
  const rule = 'allow sandbox_network(10.0.0.5:4873)';
  expect(
    mcpCauseText({ code: 'refused-host', host: 'mirror.corp', address: '10.0.0.5', port: 4873, rule }, where),
  ).toBe(
    `This server’s sandbox refused a connection to mirror.corp:4873 (10.0.0.5), because it is not a public address. This rule would allow it: ${rule}`,
  );
  expect(mcpCauseText({ code: 'refused-host', host: '::1', address: '::1' }, where)).toContain('No rule can allow it.');
});
