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
    /** Writes docs/benchmarks.md, docs/benchmarks-full.md, their pictures and the table in README.md. */
    write: { type: 'boolean', default: false },
    /** Only those that store their steps. */
    durable: { type: 'boolean', default: false },
    /** Results of our own suites in the same run. */
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
tell('what happens …');
const correctness = await tryAll({ open: quick ? 200 : 1000, tell });
tell('imports …');
const imports = await measureImports(tell);
tell('installs …');
const sizes = quick ? undefined : installSizes(tell);
tell('work …');
const measured = await measureWork({ quick, tell });

const [cpu] = cpus();
const machine = `${cpu?.model ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}-${process.arch}`;
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const versions = Object.entries(dependencies)
  .filter(([name]) => name !== 'node' && name !== 'zod')
  .map(([name, version]) => `${name} ${version}`)
  .join(', ');

const written = `Written by \`npm run bench -- ${quick ? '--quick ' : ''}--write\` on ${new Date().toISOString().slice(0, 10)}: ${machine}. Beside: ${versions}.`;
const { targets } = values.results === undefined ? {} : JSON.parse(readFileSync(values.results, 'utf8'));
const short = page([
  '# Benchmarks',
  'Processor time of one turn, and how many times ours the others take.',
  leadTable(durable.alone),
  'Everyone runs the same scripted model and the same tool, each in its own process, by turns, in one run. All but the AI SDK have each step in the ' +
    'database before the next begins. "Three approvals" is the time from three calls that wait for a person to the answer.',
  '## Limits',
  'Ratios of processor time unless a row says otherwise ([N1, N2 and N5](spec/README.md)).',
  limitsTable({ ...durable, imports, targets }),
  `[All measurements](benchmarks-full.md). ${written}`,
]);
const full = page([
  '# All measurements',
  `${written} [The short version](benchmarks.md).`,
  'Everyone runs the same scripted model without latency and the same tools, each in its own process, by turns, with tracing off. ' +
    'Times of different runs can’t be compared.',
  '## What happens',
  correctnessTable(correctness, measured.contenders),
  '"Kept by the application": the framework keeps nothing; what comes back is what the program around it has written. ' +
    'LangGraph and Mastra were run with their stores in memory.',
  durablePage(durable),
  '## Turns that others keep in memory',
  'Ungated: the whole turn. Gated: from the pause, with every question asked, to the answer, with every call approved and run. Each step of ours is ' +
    'committed, except where it says "in memory"; over HTTP, processor time is that of the server. ' +
    'Each cell: processor time · median · p99 · **processor time ÷ the cheapest of the others**.',
  ...(values.write
    ? ['![Three gated tools](pictures/bench-gated.svg)', '![Growth with history](pictures/bench-history.svg)']
    : []),
  workTable(measured),
  '## What it takes',
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
  tell('those that keep their steps, one turn at a time …');
  const alone = await measureAlone({ quick, tell });
  tell('many chats at once …');
  const together = await measureTogether({ quick, tell });
  tell('many chats at once on a slow disk …');
  together.push(...(await measureTogether({ quick, tell, slowDisk: true })));
  return { alone, together };
}

function page(parts) {
  return `${parts.join('\n\n')}\n`;
}

function durablePage({ alone, together }) {
  return [
    '## Turns that are kept',
    'The AI SDK keeps nothing; everyone else has each step in the database before the next begins. `cpu` is processor time; over HTTP, that of the server.',
    aloneTable(alone),
    '## Many chats at once',
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
  const readme = join(docs, '..', 'README.md');
  const between = /(<!-- benchmark:.*-->\n)[\s\S]*?(\n<!-- \/benchmark -->)/;
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(between, (_, start, end) => start + leadTable(durable.alone) + end),
  );
  console.log('Written to docs/benchmarks.md, docs/benchmarks-full.md and README.md');
}
