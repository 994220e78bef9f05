// Keeps the output of drills (`countersign drill AGENT --managed --json`), and writes the table of docs/guide/gate.md from it:
//   node scripts/write-drill-tables.mjs OUTPUT.json ...
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ agent: string, version: string, rows: readonly { name: string, held: boolean }[] }} Drill */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const guide = join(root, 'docs', 'guide', 'gate.md');
const kept = join(root, 'docs', 'guide', 'managed-drills.json');
const NAMES = /** @type {Record<string, string>} */ ({ claude: 'Claude Code', gemini: 'Gemini CLI' });
const TABLE = /(<!-- From managed-drills\.json\. -->\n\n)[\s\S]*?(\n<!-- End of the table\. -->)/;

/** @returns {readonly Drill[]} */
const readKept = () => /** @type {readonly Drill[]} */ (JSON.parse(readFileSync(kept, 'utf8')));

/** The guide with the table of these drills. @param {string} text @param {readonly Drill[]} drills */
export function withTable(text, drills = readKept()) {
  const names = [...new Set(drills.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const cells = names.map((name) => [
    name.replaceAll('|', '\\|'),
    ...drills.map(({ rows }) => {
      const row = rows.find((one) => one.name === name);
      return row === undefined ? '–' : row.held ? 'held' : '**open**';
    }),
  ]);
  const titles = ['row of the drill', ...drills.map(({ agent, version }) => `${NAMES[agent] ?? agent} ${version}`)];
  const lines = [titles, titles.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |\n`);
  return text.replace(TABLE, (_, start, end) => `${start}${lines.join('')}${end}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fresh = process.argv.slice(2).map((file) => /** @type {Drill} */ (JSON.parse(readFileSync(file, 'utf8'))));
  const isReplaced = (/** @type {Drill} */ { agent }) => fresh.some((one) => one.agent === agent);
  const all = [...readKept().filter((one) => !isReplaced(one)), ...fresh];
  const drills = all.toSorted((one, other) => one.agent.localeCompare(other.agent));
  writeFileSync(kept, `${JSON.stringify(drills, null, 2)}\n`);
  writeFileSync(guide, withTable(readFileSync(guide, 'utf8'), drills));
}
