import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { withTable } from '../scripts/write-drill-tables.mjs';

it('[GATE8.6] the guide’s table is what the drills printed', () => {
  const guide = readFileSync(fileURLToPath(new URL('../docs/guide/gate.md', import.meta.url)), 'utf8');
  expect(guide).toContain('| allowed: runs once | held | held |');
  expect(guide).toBe(withTable(guide));
});
