import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemPolicies } from './gemini-sources.js';
import { gapsIn } from './source.js';

it("[GATE4.1] policies of the system change the gate, because Gemini CLI then ignores the gate's", () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-system-'));
  const file = join(folder, 'policies', 'company.toml');
  try {
    expect(gapsIn(systemPolicies(folder))).toEqual([]);
    mkdirSync(join(folder, 'policies'));
    writeFileSync(file, '');
    expect(gapsIn(systemPolicies(folder))).toEqual([expect.stringContaining(`Because of ${file}`) as string]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
