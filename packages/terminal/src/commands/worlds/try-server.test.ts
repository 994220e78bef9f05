import { expect, it } from 'vitest';
import { adviceFor } from './try-server.js';

it('[A46.2] a cause comes with the command that fixes it', () => {
  expect(adviceFor({ code: 'no-network', runner: 'npx' }, 'files', 'ops')).toMatch(
    /^npx needs the network .* Run:\n {2}countersign mcp edit files -w ops --network$/,
  );
  const refused = { code: 'refused-host', host: 'mirror', address: '10.0.0.5', port: 4873 } as const;
  const rule = 'allow sandbox_network(10.0.0.5:4873)';
  expect(adviceFor({ ...refused, rule }, 'files', 'ops')).toContain(`Run:\n  countersign policy add "${rule}" -w ops`);
  expect(adviceFor(refused, 'files', 'ops')).not.toContain('Run:');
});
