// Keeps the output of drills (`countersign drill AGENT [--managed|--acp] --json`), and writes the tables of docs/guide/gate.md from it:
//   node scripts/write-drill-tables.mjs OUTPUT.json ...
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ agent: string, version: string, managed?: boolean, acp?: boolean, rows: readonly { name: string, held: boolean }[] }} Drill */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const guide = join(root, 'docs', 'guide', 'gate.md');
const kept = join(root, 'docs', 'guide', 'drills.json');
const NAMES = /** @type {Record<string, string>} */ ({ claude: 'Claude Code', codex: 'Codex', gemini: 'Gemini CLI' });
const TABLES =
  /(<!-- Drills (with the hook|over ACP), from drills\.json\. -->\n\n)[\s\S]*?(\n<!-- End of the table\. -->)/g;

/** @returns {readonly Drill[]} */
const readKept = () => /** @type {readonly Drill[]} */ (JSON.parse(readFileSync(kept, 'utf8')));

/** The guide with the tables of these drills. @param {string} text @param {readonly Drill[]} drills */
export function withTables(text, drills = readKept()) {
  return text.replace(TABLES, (_, start, which, end) => {
    const shown = drills.filter(({ acp = false }) => acp === (which === 'over ACP'));
    return `${start}${tableOf(shown)}${end}`;
  });
}

/** @param {readonly Drill[]} drills */
function tableOf(drills) {
  const names = [...new Set(drills.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const cells = names.map((name) => [
    name.replaceAll('|', '\\|'),
    ...drills.map(({ rows }) => {
      const row = rows.find((one) => one.name === name);
      return row === undefined ? '–' : row.held ? 'held' : '**open**';
    }),
  ]);
  const titles = drills.map(({ agent, version, managed }) => {
    return `${NAMES[agent] ?? agent} ${version}${managed === true ? ', managed' : ''}`;
  });
  const lines = [['row of the drill', ...titles], ['row of the drill', ...titles].map(() => '---'), ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |\n`).join('');
}

/** @param {Drill} drill */
const keyOf = ({ agent, managed = false, acp = false }) => [acp, managed, agent].join(' ');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fresh = process.argv.slice(2).map((file) => /** @type {Drill} */ (JSON.parse(readFileSync(file, 'utf8'))));
  const isReplaced = (/** @type {Drill} */ drill) => fresh.some((one) => keyOf(one) === keyOf(drill));
  const all = [...readKept().filter((one) => !isReplaced(one)), ...fresh];
  const drills = all.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
  writeFileSync(kept, `${JSON.stringify(drills, null, 2)}\n`);
  writeFileSync(guide, withTables(readFileSync(guide, 'utf8'), drills));
}
