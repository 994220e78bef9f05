import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bars, curves } from './draw.mjs';
import { installSizes } from './install-sizes.mjs';
import { measureAlone, measureTogether } from './durable.mjs';
import { aloneTable, togetherTable } from './report-durable.mjs';
import { leadTable, limitsTable } from './report-lead.mjs';
import { correctnessTable, costTable, describeWork, workTable } from './report.mjs';
import { measureImports, measureWork, tryAll } from './side-by-side.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Writes docs/benchmarks.md, docs/benchmarks-full.md and their pictures. */
    write: { type: 'boolean', default: false },
    /** Only contenders that store their steps. */
    durable: { type: 'boolean', default: false },
    /** Results of our own suites from the same run. */
    results: { type: 'string' },
    json: { type: 'string' },
  },
});
const tell = (text) => console.log(text);
const { quick } = values;

const durable = await measureDurable();
if (values.durable) {
  console.log(`\n${page([leadTable(durable.alone), limitsTable(durable), durablePage(durable)])}`);
  process.exit();
}
tell('behaviour …');
const correctness = await tryAll({ open: quick ? 200 : 1000, tell });
tell('imports …');
const imports = await measureImports(tell);
tell('install sizes …');
const sizes = quick ? undefined : installSizes(tell);
tell('turns …');
const measured = await measureWork({ quick, tell });

const [cpu] = cpus();
const machine = `${cpu?.model ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}-${process.arch}`;
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const versions = Object.entries(dependencies)
  .filter(([name]) => name !== 'node' && name !== 'zod')
  .map(([name, version]) => `${name} ${version}`)
  .join(', ');

const written = `Written by \`npm run bench -- ${quick ? '--quick ' : ''}--write\` on ${new Date().toISOString().slice(0, 10)}: ${machine}. Compared with: ${versions}.`;
const { targets } = values.results === undefined ? {} : JSON.parse(readFileSync(values.results, 'utf8'));
const short = page([
  '# Benchmarks',
  'CPU time per turn, and the ratio to Countersign.',
  leadTable(durable.alone),
  'All frameworks run the same scripted model and the same tool, each in its own process, alternating in one run. All but the AI SDK store each step in the ' +
    'database before the next one starts. "Three approvals" is measured from three waiting calls to the answer.',
  '## Limits',
  'Ratios of CPU time unless a row says otherwise ([LIMIT1, LIMIT2 and LIMIT5](spec/limits.md)).',
  limitsTable({ ...durable, imports, targets }),
  `[All measurements](benchmarks-full.md). ${written}`,
]);
const full = page([
  '# All measurements',
  `${written} [The short version](benchmarks.md).`,
  'All frameworks run the same scripted model without latency and the same tools, each in its own process, alternating, with tracing off. ' +
    'Don’t compare times from different runs.',
  '## Behaviour',
  correctnessTable(correctness, measured.contenders),
  '"Stored by the application": the framework stores nothing, and the program that uses it has to. ' +
    'LangGraph and Mastra ran with in-memory stores.',
  durablePage(durable),
  '## With the other frameworks in memory',
  'Ungated: the whole turn. Gated: from the pause, when all approvals are pending, to the answer, when all calls were approved and have run. Countersign commits ' +
    'each step, except where it says "in memory"; over HTTP, CPU time is that of the server. ' +
    'Each cell: CPU time · median · p99 · **CPU time ÷ the cheapest other framework**.',
  ...(values.write
    ? ['![Three gated tools](pictures/bench-gated.svg)', '![Growth with history](pictures/bench-history.svg)']
    : []),
  workTable(measured),
  '## Footprint',
  costTable(measured, imports, sizes),
]);
console.log(`\n${short}\n${full}`);
if (values.json !== undefined) {
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine, durable, correctness, imports, sizes, measured }, undefined, 2)}\n`,
  );
}
if (values.write) write();

async function measureDurable() {
  tell('with every step stored, one turn at a time …');
  const alone = await measureAlone({ quick, tell });
  tell('many concurrent chats …');
  const together = await measureTogether({ quick, tell });
  tell('many concurrent chats on a slow disk …');
  together.push(...(await measureTogether({ quick, tell, slowDisk: true })));
  return { alone, together };
}

function page(parts) {
  return `${parts.join('\n\n')}\n`;
}

function durablePage({ alone, together }) {
  return [
    '## With every step stored',
    'The AI SDK stores nothing; all others store each step in the database before the next one starts. `cpu` is CPU time; over HTTP, that of the server.',
    aloneTable(alone),
    '## Many concurrent chats',
    togetherTable(together),
  ].join('\n\n');
}

function write() {
  const docs = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'docs');
  mkdirSync(join(docs, 'pictures'), { recursive: true });
  const { contenders, results } = measured;
  const names = Object.keys(contenders);
  const gated =
    results.find(({ work }) => work.tools === 3 && work.gated && !work.streaming && work.history > 1) ?? results[0];
  writeFileSync(
    join(docs, 'pictures', 'bench-gated.svg'),
    bars({
      title: `From the pause to the answer: ${describeWork(gated.work)}`,
      unit: 'ms',
      rows: names.map((name) => ({
        name: contenders[name].title,
        value: gated.figures[name].median / 1000,
        ours: name.startsWith('ours'),
      })),
    }),
  );
  const series = results.filter(({ work }) => work.tools === 1 && work.gated && !work.streaming);
  writeFileSync(
    join(docs, 'pictures', 'bench-history.svg'),
    curves({
      title: 'One gated tool, by the length of the history',
      unit: 'ms',
      xs: series.map(({ work }) => work.history),
      rows: names.map((name) => ({
        name: contenders[name].title.replace('Countersign, ', ''),
        points: series.map(({ figures }) => figures[name].median / 1000),
        ours: name.startsWith('ours'),
      })),
    }),
  );
  writeFileSync(join(docs, 'benchmarks.md'), short);
  writeFileSync(join(docs, 'benchmarks-full.md'), full);
  console.log('Written to docs/benchmarks.md and docs/benchmarks-full.md');
}
