import { expect, it } from 'vitest';
import { adviceFor } from './try-server.js';

it('[MCP1.2] a cause comes with the command that fixes it', () => {
  expect(adviceFor({ code: 'no-network', runner: 'npx' }, 'files', 'ops')).toMatch(
    /^npx needs the network .* Run:\n {2}countersign mcp edit files -w ops --network$/,
  );
  const refused = { code: 'refused-host', host: 'mirror', address: '10.0.0.5', port: 4873 } as const;
  const rule = 'allow sandbox_network(10.0.0.5:4873)';
  expect(adviceFor({ ...refused, rule }, 'files', 'ops')).toContain(
    `${rule}\nRun:\n  countersign policy add '${rule}' -w ops`,
  );
  expect(adviceFor(refused, 'files', 'ops')).not.toContain('Run:');
});

it('[MCP3] the command for the needed hosts comes before the one for the whole network', () => {
  const advice = adviceFor({ code: 'no-network', runner: 'npx', hosts: ['registry.npmjs.org'] }, 'files', 'ops');
  expect(advice).toContain('Run:\n  countersign mcp edit files -w ops --allow-host registry.npmjs.org\n');
  expect(advice).toMatch(/Or allow all public hosts:\n {2}countersign mcp edit files -w ops --network$/);
});
