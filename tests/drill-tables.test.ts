import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { withTables } from '../scripts/write-drill-tables.mjs';

it('[GATE6] [GATE8.6] the guide’s tables are what the drills printed', () => {
  const guide = readFileSync(fileURLToPath(new URL('../docs/guide/gate.md', import.meta.url)), 'utf8');
  expect(guide.match(/^\| allowed: runs once \|.*held \|$/gm)).toHaveLength(2);
  expect(guide).toBe(withTables(guide));
});
