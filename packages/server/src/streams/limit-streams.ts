import type { Engine } from '@countersign/core';
import type { AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';

/** Twice the number of readers per chat that we support (LIMIT4). Each needs a socket and a buffer. */
export const MAX_STREAMS = 1_000;

const open = new WeakMap<Engine, Map<string, number>>();

/** Prevents one credential from exhausting sockets and memory for all others. */
export function refuseManyStreams(c: AppRequest, engine: Engine): void {
  if ((open.get(engine)?.get(holderOf(c)) ?? 0) < MAX_STREAMS) return;
  const detail = problemTexts.tooManyStreams(MAX_STREAMS);
  throw new HttpProblem(429, detail, { headers: { 'Retry-After': '5' } });
}

/** Counts a stream until the returned function is called. */
export function countStream(c: AppRequest, engine: Engine): () => void {
  const counts = open.get(engine) ?? new Map<string, number>();
  open.set(engine, counts);
  const holder = holderOf(c);
  counts.set(holder, (counts.get(holder) ?? 0) + 1);
  let counted = true;
  return () => {
    if (!counted) return;
    counted = false;
    const left = (counts.get(holder) ?? 1) - 1;
    if (left > 0) counts.set(holder, left);
    else counts.delete(holder);
  };
}

function holderOf(c: AppRequest): string {
  return c.get('access')?.holder ?? '';
}
