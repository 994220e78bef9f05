import { searchMessages, showOriginal, worldStats } from '@countersign/core';
import {
  auditEntrySchema,
  auditQuerySchema,
  auditVerdictSchema,
  listOf,
  revealedCallSchema,
  searchHitSchema,
  searchQuerySchema,
  statsSchema,
} from '@countersign/protocol';
import { route } from '../app/route.js';
import { readCursor, writeCursor } from './cursor.js';
import { exportAudit, pageAudit } from './export-audit.js';
import { AS_CLIENT, PAGE, revealerOf } from './support.js';

export const recordRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/search',
    tag: 'search',
    summary: 'Messages by their words, newest first',
    description:
      'What has all the words, of the last one at least the beginning. Words are letters and digits; nothing else in `q` means anything.',
    query: searchQuerySchema,
    answers: { 200: { description: 'Where it was said', schema: listOf(searchHitSchema) } },
    async handle({ context, params, query: { q, after, limit = 20 } }) {
      const { hits, next } = await searchMessages(context.engine.runtime, params.world, q, {
        limit: Math.min(limit, PAGE),
        ...(after === undefined ? {} : { before: readCursor(after, 'after') }),
      });
      return { status: 200, body: { items: hits, ...(next === undefined ? {} : { next: writeCursor(next) }) } };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/audit',
    tag: 'audit',
    summary: 'Every request, decision, run, refusal and change of rules, oldest first',
    description:
      'Outlives its world. Each record carries the hash of the one before it. `jsonl` and `csv` are the whole log; in CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe.',
    query: auditQuerySchema,
    answers: {
      200: [
        { description: 'Records', schema: listOf(auditEntrySchema) },
        { description: 'one a line', type: 'application/jsonl' },
        { description: 'a table', type: 'text/csv' },
      ],
    },
    async handle({ context, params, query: { format, after, limit = PAGE } }) {
      const { store } = context.engine.runtime;
      const seq = after === undefined ? 0 : readCursor(after, 'after');
      if (format === 'json') return { status: 200, body: await pageAudit(store, params.world, seq, limit) };
      return await exportAudit(store, params.world, { format, after: seq, log: context.log });
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/audit/{call}/original',
    tag: 'audit',
    summary: 'Show what a call ran with',
    description:
      'The arguments with nothing masked, opened from the audit record of the run, also when its chat or world is gone. Who asked and when goes into the audit log. 409 if it was sealed with another key, or ran before originals were kept.',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The call as it ran', schema: revealedCallSchema } },
    async handle({ context, params, c }) {
      const { runtime } = context.engine;
      // Of a world that never was there is nothing to open.
      const signer = await revealerOf(c, context, params.world, () => pageAudit(runtime.store, params.world, 0, 1));
      return { status: 200, body: await showOriginal(runtime, params.world, params.call, signer) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/audit/verify',
    tag: 'audit',
    summary: 'Walk the whole chain of the audit log',
    description: 'Finds the first record that was edited, removed or reordered, and a tail that was cut off.',
    answers: { 200: { description: 'Whole, or where it is not', schema: auditVerdictSchema } },
    async handle({ context, params }) {
      const { store } = context.engine.runtime;
      // Of a world that never was there is nothing to walk.
      await pageAudit(store, params.world, 0, 1);
      return { status: 200, body: await store.verifyAudit(params.world) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/stats',
    tag: 'stats',
    summary: 'Counts, tokens and times of a world',
    answers: { 200: { description: 'Over all that is kept; times in milliseconds', schema: statsSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await worldStats(context.engine.runtime, params.world),
    }),
  }),
];
