import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { grep, readFile, shellCmd, writeFile } from '@countersign/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';

afterEach(closeTestWorlds);
const folder = freshFolder();
const guide = readFileSync(new URL('../../../docs/guide/policy.md', import.meta.url), 'utf8');
const OUTCOMES: Readonly<Record<string, string>> = { run: 'runs', ask: 'needs approval', refuse: 'refused' };

/** Each list of rules with the table of calls after it. */
const examples = guide
  .split('```rules\n')
  .slice(1)
  .map((part) => {
    const [rules = '', rest = ''] = part.split('```');
    const table = rest.split('\n## ')[0] ?? '';
    const rows = Array.from(table.matchAll(/^\| `(\w+)` `(.*)` \| ([a-z ]+) \| (?:`(.*)` )?\|$/gm));
    return {
      rules: rules.trim().split('\n'),
      rows: rows.map(([, tool, about, outcome, rule]) => ({ tool, about, outcome, rule })),
    };
  });

describe('docs/guide/policy.md', () => {
  it('[RULE1] has examples with calls', () => {
    expect(examples.map(({ rows }) => rows.length)).toEqual([14, 6, 16, 2, 0]);
  });

  it.each(examples)('[RULE1] is right about $rules.0 and the rules next to it', async ({ rules, rows }) => {
    const workingDirectory = folder('work');
    await mkdir(workingDirectory);
    const t = await openTestWorld({
      workingDirectory,
      policy: rules,
      // No command runs. Without a sandbox, a rule about a path would make every command need approval.
      tools: [shellCmd({ sandbox: { kind: 'sandbox-exec', program: '/nowhere' } }), readFile(), writeFile(), grep()],
    });
    const found = [];
    for (const { tool = '', about = '' } of rows) {
      // Pipes are escaped in Markdown tables.
      const args =
        tool === 'shell_cmd'
          ? { command: about.replaceAll('\\|', '|') }
          : { path: about, ...(tool === 'write_file' && { content: '' }) };
      const { outcome, rule } = await t.world.checkPolicy({ tool, arguments: args });
      found.push({ tool, about, outcome: OUTCOMES[outcome], rule });
    }
    expect(found).toEqual(rows);
  });
});
