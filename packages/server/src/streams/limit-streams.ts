import type { Engine } from '@countersign/core';
import type { AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';

/** Twice the readers that one chat is made for (N4). Each holds a socket and what waits for it. */
export const MOST_STREAMS = 1_000;

const open = new WeakMap<Engine, Map<string, number>>();

/** One credential that opens streams without end would take the sockets and the memory of all others. */
export function refuseManyStreams(c: AppRequest, engine: Engine): void {
  if ((open.get(engine)?.get(holderOf(c)) ?? 0) < MOST_STREAMS) return;
  const detail = problemTexts.tooManyStreams(MOST_STREAMS);
  throw new HttpProblem(429, detail, { headers: { 'Retry-After': '5' } });
}

/** Counts a stream until what is returned is called. */
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

/** A token, or one browser's session. */
function holderOf(c: AppRequest): string {
  return c.get('signer')?.who ?? '';
}
