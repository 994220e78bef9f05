import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bars, curves } from './draw.mjs';
import { installSizes } from './install-sizes.mjs';
import { measureAlone, measureTogether } from './durable.mjs';
import { aloneTable, leadTable, togetherTable } from './report-durable.mjs';
import { correctnessTable, costTable, describeWork, targetTable, workTable } from './report.mjs';
import { measureImports, measureWork, tryAll } from './side-by-side.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Writes docs/benchmarks.md and its pictures. */
    write: { type: 'boolean', default: false },
    /** Only those that keep their steps. */
    durable: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const tell = (text) => console.log(text);
const { quick } = values;

const durable = await measureDurable();
if (values.durable) {
  console.log(`\n${durablePage(durable)}`);
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

const parts = [
  '# Measured side by side',
  durablePage(durable),
  `Written by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}: ${machine}. Beside: ${versions}.`,
  'Everybody runs the same scripted model without latency and the same tools, each in a process of its own, by turns, with tracing off. ' +
    'The others keep everything in memory; each step of ours is committed, except where it says "in memory". ' +
    'Each cell: median · p95 · ratio to the fastest of the others. Times of different runs mean nothing together.',
  '## What happens',
  correctnessTable(correctness, measured.contenders),
  '"Kept by the application": the framework itself keeps nothing; what comes back is what the program around it has written. ' +
    'LangGraph and Mastra were run with their stores in memory.',
  '## What a turn costs',
  'Ungated: the whole turn. Gated: from the pause, with every question asked, to the answer, with every call approved and run.',
  ...(values.write
    ? ['![Three gated tools](pictures/bench-gated.svg)', '![Growth with history](pictures/bench-history.svg)']
    : []),
  workTable(measured),
  targetTable(measured),
  '## What it takes',
  costTable(measured, imports, sizes),
];
const page = `${parts.join('\n\n')}\n`;
console.log(`\n${page}`);
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

function durablePage({ alone, together }) {
  return [
    'Processor time of one turn, from the question (or from the pause, with every call waiting for its approval) to the answer. ' +
      'In bold: their time divided by ours. The AI SDK keeps nothing; everybody else has each step in the database before the next begins.',
    leadTable(alone, 'sqlite'),
    leadTable(alone, 'postgres'),
    '## Turns that are kept',
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
  writeFileSync(join(docs, 'benchmarks.md'), page);
  console.log('Written to docs/benchmarks.md');
}
