import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { isFullSize } from '../../support/scaled.js';

/** Minified: half as much to send to the page and to parse. */
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  id: string;
  nodes: { html: string; any: { message: string }[] }[];
}

/**
 * Violations that axe finds in the page, or in the parts that match `within`. axe stays loaded for the next run, and
 * only violations leave the page: loading it and transferring all passes took longer than the checks. In `npm test`,
 * only tests that set `contrast` check anything, once for each page; `npm run verify` also checks dialogs and states.
 */
export async function violations(
  page: Page,
  { rules, within, contrast }: { rules?: string[]; within?: string; contrast?: boolean } = {},
): Promise<string[]> {
  if (contrast === undefined && !isFullSize) return [];
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const options = {
    resultTypes: ['violations'],
    ...(contrast !== false || rules !== undefined ? {} : { rules: { 'color-contrast': { enabled: false } } }),
    ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }),
  };
  const where = within === undefined ? 'document' : JSON.stringify(within);
  const found = await page.evaluate<Violation[]>(
    `axe.run(${where}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}
