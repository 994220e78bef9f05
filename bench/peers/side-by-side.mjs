// Runs all contenders on the same work, alternating within one run. `npm run bench` calls it; only ratios within one run are meaningful.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PEERS } from './contenders.mjs';
import { start } from './drive.mjs';

const OURS = ['ours-memory', 'ours-normal', 'ours-full', 'ours-http'];

export function casesOf(quick) {
  const cases = [];
  for (const history of quick ? [1, 200] : [1, 25, 200, 5000]) {
    for (const tools of quick ? [1, 3] : [1, 3, 10]) {
      for (const gated of [false, true]) {
        for (const streaming of quick ? [false] : [false, true]) cases.push({ tools, gated, history, streaming });
      }
    }
  }
  return cases;
}

/** In microseconds, for the compared part: the whole turn, or from the pause to the end. */
function summary(times) {
  const sorted = times.map(({ finish }) => finish).toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const cpu = times.reduce((sum, { cpu: used }) => sum + used, 0) / times.length;
  return { cpu, median: at(0.5), p99: at(0.99), count: sorted.length };
}

/** Starts the contenders and reads their descriptions. */
async function startAll(which, tell) {
  const started = [];
  for (const name of which) {
    const child = await start(name);
    started.push({ ...child, ...(await child.order({ do: 'hello' })) });
    tell(`  ${started.at(-1).name} started`);
  }
  return started;
}

export async function measureWork({ quick, only, tell }) {
  const which = [...PEERS, ...OURS].filter((name) => only === undefined || only.includes(name));
  const children = await startAll(which, tell);
  const results = [];
  for (const work of casesOf(quick)) {
    // Some contenders need most of a second for a turn with a long history.
    const long = work.history > 1000;
    for (const child of children) await child.order({ do: 'prepare', work, warmUp: long ? 5 : quick ? 10 : 25 });
    const taken = new Map(children.map(({ which: name }) => [name, []]));
    const rounds = long ? 3 : quick ? 4 : 8;
    for (let round = 0; round < rounds; round += 1) {
      // Each round starts with a different contender, so that other load affects all of them equally.
      const shift = round % children.length;
      for (const child of [...children.slice(shift), ...children.slice(0, shift)]) {
        const { times } = await child.order({ do: 'run', times: 10, ms: 400 });
        taken.get(child.which).push(...times);
      }
    }
    const figures = {};
    for (const child of children) {
      const { rss, paused, persisted } = await child.order({ do: 'rest' });
      const kept = { ...(paused > 0 ? { paused } : {}), ...(persisted === undefined ? {} : { persisted }) };
      figures[child.which] = { ...summary(taken.get(child.which)), rss, ...kept };
    }
    results.push({ work, figures });
    tell(`  ${JSON.stringify(work)}`);
  }
  const contenders = Object.fromEntries(
    children.map(({ which: name, name: title, packageName, importMs, rss }) => [
      name,
      { title, packageName, importMs, rss },
    ]),
  );
  for (const child of children) await child.order({ do: 'end' });
  return { contenders, results };
}

/** The time until a program's first line runs, with a cold cache; the median of five. */
export async function measureImports(tell) {
  const taken = {};
  for (let round = 0; round < 5; round += 1) {
    for (const name of [...PEERS, 'ours-normal']) {
      const child = await start(name);
      const { importMs } = await child.order({ do: 'hello' });
      child.kill();
      (taken[name] ??= []).push(importMs);
    }
  }
  tell('  imports');
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, all.toSorted((a, b) => a - b)[2]]));
}

const WANTED = ['threeTimes', 'mixed', 'stale', 'changed'];

/** Tests behaviour, not speed: each contender runs in a separate process without measurement. */
export async function tryAll({ open = 1000, tell }) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const table = {};
  try {
    for (const name of [...PEERS, 'ours-normal']) {
      const row = {};
      const child = await start(name);
      for (const experiment of WANTED)
        row[experiment] = (await child.order({ do: 'experiment', name: experiment })).result;
      child.kill();
      const given = { state: join(folder, `${name}.state`), mark: join(folder, `${name}.mark`) };
      row.killed = await tryKill(name, given);
      row.restart = await tryRestart(name, { state: join(folder, `${name}.open`), count: open });
      table[name] = row;
      tell(`  ${name}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return table;
}

async function tryKill(name, given) {
  const first = await start(name);
  await first.order({ do: 'experiment', name: 'killBegin', with: given }).catch(() => undefined);
  const second = await start(name);
  const { result } = await second.order({ do: 'experiment', name: 'killResume', with: given });
  second.kill();
  const runs = readFileSync(given.mark, 'utf8').trim().split('\n').length;
  return result === undefined ? { runs, lost: true } : { runs, ...result };
}

async function tryRestart(name, given) {
  const first = await start(name);
  const { result: restarted } = await first.order({ do: 'experiment', name: 'restartBegin', with: given });
  first.kill();
  if (restarted === undefined) return { back: 0 };
  const second = await start(name);
  const { result } = await second.order({ do: 'experiment', name: 'restart', with: given });
  second.kill();
  return result;
}

export { OURS, PEERS };
