// All contenders that store each step, on the same database, alternating within one run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GROUNDS } from './contenders.mjs';
import { start } from './drive.mjs';
import { openDatabases } from './postgres.mjs';

const ONE_TOOL = { tools: 1, gated: false, history: 1, streaming: false };
const WORKS = [
  { ...ONE_TOOL, tools: 0 },
  ONE_TOOL,
  { ...ONE_TOOL, tools: 3, gated: true },
  { ...ONE_TOOL, tools: 10, gated: true },
  { ...ONE_TOOL, streaming: true },
  { ...ONE_TOOL, tools: 3, gated: true, streaming: true },
  { ...ONE_TOOL, history: 5000 },
];

/** DBOS runs workflows: it supports neither conversations nor streaming. */
function canDo(which, { history, streaming }) {
  return which !== 'dbos' || (history === 1 && !streaming);
}

/** One turn at a time: wall time and CPU time from the pause to the answer, and the number of database statements. */
export async function measureAlone({ quick, tell }) {
  const results = [];
  await eachGround({ tell }, async (ground, everybody, databases) => {
    for (const work of quick ? WORKS.filter(({ history }) => history === 1) : WORKS) {
      const children = everybody.filter(({ which }) => canDo(which, work));
      // Some contenders need most of a second for a turn with a long history.
      const long = work.history > 1;
      for (const child of children) {
        await child.order({ do: 'prepare', work, warmUp: long ? 5 : quick ? 30 : 300 });
      }
      const taken = new Map(children.map(({ which }) => [which, []]));
      const asked = new Map();
      for (let round = 0; round < (long ? 4 : quick ? 6 : 20); round += 1) {
        const shift = round % children.length;
        for (const child of [...children.slice(shift), ...children.slice(0, shift)]) {
          const before = await databases?.statements(child.which);
          const { times } = await child.order({ do: 'run', times: long ? 10 : 20, ms: 2_000 });
          taken.get(child.which).push(times);
          if (before === undefined) continue;
          const count = (await databases.statements(child.which)) - before;
          asked.set(child.which, [...(asked.get(child.which) ?? []), count / times.length]);
        }
      }
      const figures = Object.fromEntries(
        children.map(({ which, name }) => [
          which,
          { name, ...summary(taken.get(which)), statements: middle(asked.get(which)) },
        ]),
      );
      for (const child of children) await child.order({ do: 'rest' });
      results.push({ ground, work, figures });
      tell(`  ${ground} ${JSON.stringify(work)}`);
    }
  });
  return results;
}

/** Excludes our server: its event loop delay isn't visible to the process that calls it. */
const TOGETHER = Object.values(GROUNDS)
  .flat()
  .filter((name) => name !== 'ours-http');

/** The same turns in many chats concurrently. */
export async function measureTogether({ quick, tell, slowDisk }) {
  const results = [];
  await eachGround(
    { tell, slowDisk, only: slowDisk ? ['ours-full', 'ours-postgres'] : TOGETHER },
    async (ground, children) => {
      for (const chats of quick ? [1, 16] : [1, 16, 128]) {
        const work = { ...ONE_TOOL, chats };
        const times = quick ? 200 : 1_000;
        const figures = {};
        for (const child of children) {
          await child.order({ do: 'prepare', work, warmUp: quick ? 10 : 50 });
          await child.order({ do: 'together', times: Math.floor(times / 4) });
          const { times: taken, ms, cpu, blockedMs, longestMs } = await child.order({ do: 'together', times });
          await child.order({ do: 'rest' });
          const at = quantiles(taken);
          figures[child.which] = {
            name: child.name,
            perSecond: (times * 1000) / ms,
            cpu,
            median: at(0.5),
            p99: at(0.99),
            blockedMs,
            longestMs,
          };
          tell(`  ${ground}, ${chats} chats: ${child.name}`);
        }
        results.push({ ground, slowDisk, work, figures });
      }
    },
  );
  return results;
}

async function eachGround({ tell, slowDisk = false, only }, measure) {
  const disk = slowDisk ? slowDiskLibrary() : undefined;
  if (slowDisk && disk === undefined) {
    tell('  no C compiler found; skipping the slow disk');
    return;
  }
  try {
    for (const ground of Object.keys(GROUNDS)) {
      const which = only?.filter((name) => isOn(ground, name)) ?? GROUNDS[ground];
      const databases = ground === 'postgres' ? await openDatabases(disk?.env) : undefined;
      const children = [];
      try {
        for (const name of which) {
          const database = await databases?.create(name);
          const env = {
            ...(ground === 'sqlite' ? disk?.env : {}),
            ...(database === undefined ? {} : { BENCH_DATABASE: database }),
          };
          const child = await start(name, { env });
          children.push({ ...child, ...(await child.order({ do: 'hello' })) });
        }
        await measure(ground, children, databases);
        for (const child of children) await child.order({ do: 'end' });
      } finally {
        for (const child of children) child.kill();
        await databases?.close();
      }
    }
  } finally {
    disk?.remove();
  }
}

function isOn(ground, name) {
  return GROUNDS.postgres.includes(name) === (ground === 'postgres');
}

const SLOW_DISK = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static int wait_for(const char *name, int fd) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  usleep(4000);
  return sync(fd);
}
int fdatasync(int fd) { return wait_for("fdatasync", fd); }
int fsync(int fd) { return wait_for("fsync", fd); }
`;

/**
 * Simulates a disk that takes 4 ms per sync, like many real ones; this machine's disk may take almost no time. Undefined if there is no
 * compiler.
 */
function slowDiskLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const library = join(folder, 'slow-disk.so');
  try {
    writeFileSync(join(folder, 'slow-disk.c'), SLOW_DISK);
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, join(folder, 'slow-disk.c'), '-ldl'], {
      stdio: 'ignore',
    });
    return { env: { LD_PRELOAD: library }, remove };
  } catch {
    remove();
    return undefined;
  }
}

/** In microseconds. CPU time is the median over the rounds: garbage collection is part of a round, not of a single turn. */
function summary(rounds) {
  const at = quantiles(rounds.flat().map(({ finish }) => finish));
  const cpu = middle(rounds.map((times) => times.reduce((sum, { cpu: used }) => sum + used, 0) / times.length));
  return { median: at(0.5), p99: at(0.99), cpu };
}

function quantiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function middle(values) {
  return values === undefined ? undefined : quantiles(values)(0.5);
}
