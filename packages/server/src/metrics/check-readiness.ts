import { setTimeout as after } from 'node:timers/promises';
import { SILENT_MS, type Engine } from '@countersign/core';
import { problemTexts } from '../app/problem-texts.js';

/** Timeout for the database check. */
const TIMEOUT_MS = 2_000;
/** How long a result is reused: the endpoint is public and must not put load on the database. */
const CACHE_MS = 500;

/** A check that writes costs the disk a sync, so it runs this often while it succeeds. */
const WRITE_MS = 5_000;

interface Looked {
  at: number;
  verdict: Promise<string | undefined>;
}

const looked = new WeakMap<Engine, Looked>();
/** When something could last be written. */
const written = new WeakMap<Engine, number>();

/** Why this process should currently get no traffic, without internal details. Undefined if it is ready. */
export async function checkReadiness(engine: Engine): Promise<string | undefined> {
  if (engine.closing.aborted) return 'This server is shutting down.';
  const last = looked.get(engine);
  if (last !== undefined && performance.now() - last.at < CACHE_MS) return await last.verdict;
  const verdict = look(engine);
  looked.set(engine, { at: performance.now(), verdict });
  return await verdict;
}

async function look(engine: Engine): Promise<string | undefined> {
  const { store } = engine.runtime;
  const silent = engine.lastHeardMs();
  if (silent !== undefined && silent > SILENT_MS) {
    return problemTexts.silentStore;
  }
  const giveUp = new AbortController();
  const answered = store
    .read((reader) => reader.worldRev(''))
    .then(
      () => checkWritable(engine),
      () => problemTexts.unreadableStore,
    );
  const late = after(TIMEOUT_MS, problemTexts.lateStore, { signal: giveUp.signal, ref: false });
  try {
    return await Promise.race([answered, late]);
  } finally {
    giveUp.abort();
    late.catch(() => undefined);
  }
}

async function checkWritable(engine: Engine): Promise<string | undefined> {
  const now = performance.now();
  if (now - (written.get(engine) ?? -Infinity) < WRITE_MS) return undefined;
  try {
    await engine.runtime.store.checkWritable();
    written.set(engine, now);
    return undefined;
  } catch {
    return problemTexts.unwritableStore;
  }
}
