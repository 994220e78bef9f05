import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { printResults } from './report.js';
import { residentMiB } from './resident.js';

// Measured before any of our modules is loaded: the imports below count toward a program's memory.
const start = residentMiB();
const SUITES = [
  'memory',
  'turns',
  'growth',
  'waiting',
  'gate',
  'policy',
  'rehearsal',
  'hook',
  'runs',
  'masking',
  'blocks',
  'mcp',
  'server',
  'page',
  'inbox',
  'postgres',
  'reach',
] as const;
type SuiteName = (typeof SUITES)[number];
/** What each suite has measured. */
type Results = Parameters<typeof printResults>[0];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: fileURLToPath(new URL('../results.json', import.meta.url)) },
    only: { type: 'string', multiple: true },
    // A million messages in a hundred thousand chats: filling takes minutes.
    large: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(
    `npm run bench -- [--quick] [--large] [--only ${SUITES.join('|')}|peers]… [--json FILE] [--write] [--trace]`,
  );
} else if (values.trace) {
  await trace();
} else {
  await bench(values.quick, values.large, wanted(values.only), values.json);
}

function wanted(only: readonly string[] | undefined): readonly SuiteName[] {
  const unknown = only?.find((name) => !SUITES.some((suite) => suite === name));
  if (unknown !== undefined) throw new Error(`Unknown suite "${unknown}". Suites: ${SUITES.join(', ')}`);
  return SUITES.filter((suite) => only === undefined || only.includes(suite));
}

async function bench(quick: boolean, large: boolean, suites: readonly SuiteName[], file: string): Promise<void> {
  if (globalThis.gc === undefined) console.warn('Without --expose-gc, resident memory includes garbage.');
  const { judgeTargets, printResults, printTargets } = await import('./report.js');
  const results: Results = {};
  const broken: SuiteName[] = [];
  // Memory comes first: garbage from the other suites would be attributed to us.
  for (const suite of suites) {
    console.log(`${suite} …`);
    try {
      await measure(suite, results, quick, large);
    } catch (error) {
      // The others take minutes too.
      console.error(`${suite} failed:`, error);
      broken.push(suite);
    }
    writeReport(file, quick, judgeTargets(results), results);
  }
  printResults(results);
  printTargets(judgeTargets(results));
  console.log(`\nWritten to ${file}`);
  if (broken.length === 0) return;
  console.error(`Failed: ${broken.join(', ')}`);
  process.exitCode = 1;
}

function writeReport(file: string, quick: boolean, targets: unknown, results: Results): void {
  const [cpu] = cpus();
  const machine = { node: process.version, platform: process.platform, arch: process.arch, cpu: cpu?.model };
  const report = {
    at: new Date().toISOString(),
    quick,
    machine: { ...machine, cores: cpus().length },
    targets,
    results,
  };
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
}

async function measure(suite: SuiteName, results: Results, quick: boolean, large: boolean): Promise<void> {
  const plan = quick ? { warmUp: 500, rounds: 40, perRound: 10 } : { warmUp: 2000, rounds: 200, perRound: 10 };
  switch (suite) {
    case 'memory':
      results.memory = await (await import('./memory.js')).memorySuite(start, quick ? 2000 : 10_000);
      break;
    case 'turns':
      results.turns = await (await import('./turns.js')).turnsSuite(plan);
      break;
    case 'growth':
      results.growth = await (
        await import('./growth.js')
      ).growthSuite(quick ? [100, 10_000] : [100, 10_000, 100_000], { ...plan, warmUp: 500 });
      break;
    case 'waiting':
      results.waiting = await (
        await import('./waiting.js')
      ).waitingSuite([10, quick ? 1_000 : 10_000], { ...plan, warmUp: 100, rounds: plan.rounds / 2 });
      break;
    case 'gate':
      results.gate = await (await import('./gate.js')).gateSuite(plan);
      break;
    case 'policy':
      results.policy = await (await import('./policy.js')).policySuite(plan);
      break;
    case 'rehearsal': {
      const found = await (await import('./rehearsal.js')).rehearsalSuite({ ...plan, rounds: quick ? 10 : 40 });
      if (found !== undefined) results.rehearsal = found;
      break;
    }
    case 'hook':
      results.hook = await (await import('./hook.js')).hookSuite(quick ? 20 : 300);
      break;
    case 'runs': {
      const runs = await (await import('./runs.js')).runsSuite(quick ? 5 : 30, quick);
      if (runs !== undefined) results.runs = runs;
      break;
    }
    case 'masking':
      results.masking = (await import('./masking.js')).maskingSuite();
      break;
    case 'blocks':
      results.blocks = await (await import('./blocks.js')).blocksSuite(quick ? 2 : 3);
      break;
    case 'mcp':
      results.mcp = await (await import('./mcp.js')).mcpSuite(plan);
      break;
    case 'page': {
      const page = await (await import('./page.js')).pageSuite(quick ? 3 : 9);
      if (page !== undefined) results.page = page;
      break;
    }
    case 'inbox': {
      const inbox = await (await import('./inbox.js')).inboxSuite(quick ? 5 : 15);
      if (inbox !== undefined) results.inbox = inbox;
      break;
    }
    case 'postgres':
      results.postgres = await (await import('./postgres.js')).postgresSuite(quick, large);
      break;
    case 'reach':
      results.reach = await (await import('./reach.js')).reachSuite(quick ? 20 : 200);
      break;
    case 'server':
      results.server = await (await import('./server.js')).serverSuite(plan, quick);
      break;
  }
}

async function trace(): Promise<void> {
  const { traceTurn } = await import('./trace.js');
  const { CASES } = await import('./script.js');
  for (const turn of CASES) {
    console.log(`\n${turn}`);
    for (const { step, writes } of await traceTurn(turn)) console.log(`  ${step}: ${writes.join(', ')}`);
  }
}
