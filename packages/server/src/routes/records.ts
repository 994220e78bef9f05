import { questionStats, searchMessages, showOriginal, worldCosts, worldStats } from '@countersign/core';
import {
  auditEntrySchema,
  auditQuerySchema,
  auditVerdictSchema,
  costQuerySchema,
  costSchema,
  listOf,
  questionQuerySchema,
  questionStatsSchema,
  revealedCallSchema,
  searchHitSchema,
  searchQuerySchema,
  statsQuerySchema,
  statsSchema,
} from '@countersign/protocol';
import { SERVER_LOG } from '@countersign/core/ports';
import type { z } from 'zod';
import type { AppContext } from '../app/context.js';
import { mayOf } from '../confirmations/confirm-change.js';
import { route, type Reply } from '../app/route.js';
import { readCursor, writeCursor } from './cursor.js';
import { exportAudit, pageAudit } from './exports/export-audit.js';
import { AS_CLIENT, PAGE, revealerOf } from './support.js';

type AuditQuery = z.output<typeof auditQuerySchema>;

export const recordRoutes = [
  route({
    method: 'get',
    path: '/audit',
    scope: 'own-server',
    needs: 'admin',
    tag: 'audit',
    summary: 'Get the audit log of the server, oldest first',
    description: 'Every change to people, roles, groups, tokens and sessions. Same formats as the log of a world.',
    query: auditQuerySchema,
    answers: {
      200: [
        { description: 'Records', schema: listOf(auditEntrySchema) },
        { description: 'One record per line', type: 'application/jsonl' },
        { description: 'A table', type: 'text/csv' },
      ],
    },
    handle: async ({ context, query }) => await replyAudit(context, SERVER_LOG, query),
  }),
  route({
    method: 'get',
    path: '/audit/verify',
    scope: 'own-server',
    needs: 'admin',
    tag: 'audit',
    summary: "Verify the hash chain of the server's audit log",
    answers: { 200: { description: 'Intact, or where it is broken', schema: auditVerdictSchema } },
    handle: async ({ context }) => ({
      status: 200,
      body: await context.engine.runtime.store.verifyAudit(SERVER_LOG),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/search',
    scope: 'world',
    needs: 'read',
    tag: 'search',
    summary: 'Search messages, newest first',
    description:
      'Finds messages that contain all words; the last word may be a prefix. Words consist of letters and digits, and all other characters in `q` are ignored.',
    query: searchQuerySchema,
    answers: { 200: { description: 'Messages found', schema: listOf(searchHitSchema) } },
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
    scope: 'world',
    needs: 'read',
    tag: 'audit',
    summary: 'Get the audit log, oldest first',
    description:
      "Every request, decision, run, refusal, undo and policy change. It is kept when the world is deleted, and each record contains the hash of the one before it. `jsonl` and `csv` return the whole log. With `who`, only the records of the person, agent or token with this id. A page can then have fewer records than `limit` although more follow, and the chain can't be verified from it. In CSV, cells that a spreadsheet would read as a formula start with an apostrophe.",
    query: auditQuerySchema,
    answers: {
      200: [
        { description: 'Records', schema: listOf(auditEntrySchema) },
        { description: 'One record per line', type: 'application/jsonl' },
        { description: 'A table', type: 'text/csv' },
      ],
    },
    handle: async ({ context, params, query }) => await replyAudit(context, params.world, query),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/audit/{call}/original',
    scope: 'world',
    needs: 'sign',
    tag: 'audit',
    summary: 'Reveal the arguments a call ran with',
    description:
      'Decrypts the unmasked arguments in the audit record of the run, even if its chat or world was deleted, and records this in the audit log. 409 if they were encrypted with another key or are from a version that did not keep them.',
    headers: AS_CLIENT,
    answers: { 200: { description: 'The call as it ran', schema: revealedCallSchema } },
    async handle({ context, params, c }) {
      const { runtime } = context.engine;
      // Returns 404 for a world that never existed.
      const signer = await revealerOf(c, context, params.world, () =>
        pageAudit(runtime.store, params.world, { limit: 1 }),
      );
      return { status: 200, body: await showOriginal(runtime, params.world, params.call, signer) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/audit/verify',
    scope: 'world',
    needs: 'read',
    tag: 'audit',
    summary: 'Verify the hash chain of the audit log',
    description: 'Finds the first record that was edited, removed or reordered, and detects a truncated log.',
    answers: { 200: { description: 'Intact, or where it is broken', schema: auditVerdictSchema } },
    async handle({ context, params }) {
      const { store } = context.engine.runtime;
      // Returns 404 for a world that never existed.
      await pageAudit(store, params.world, { limit: 1 });
      return { status: 200, body: await store.verifyAudit(params.world) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/stats',
    scope: 'world',
    needs: 'read',
    tag: 'stats',
    summary: 'Get counts, tokens and latencies for a world',
    description:
      'With `person`, `approvals` and `waiting` count only the calls that this person decided or signed. The other figures are always about the whole world.',
    query: statsQuerySchema,
    answers: { 200: { description: 'Statistics; times in milliseconds', schema: statsSchema } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: await worldStats(context.engine.runtime, params.world, query.person),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/costs',
    scope: 'world',
    needs: 'read',
    tag: 'stats',
    summary: 'Get tokens and costs by agent and day',
    description:
      "The last 30 days of a world, or all days of one `chat`. Costs are at the list price that the model's provider published when it answered; tokens without a known price are counted apart.",
    query: costQuerySchema,
    answers: { 200: { description: 'One item per agent and day, oldest first', schema: listOf(costSchema) } },
    handle: async ({ context, params: { world }, query }) => ({
      status: 200,
      body: { items: await worldCosts(context.engine.runtime, world, query.chat) },
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/questions',
    scope: 'world',
    needs: 'read',
    tag: 'stats',
    summary: 'Show whether the questions are worth asking',
    description:
      'How many questions there were in the last 30 days, how long they waited and were looked at, and how many were approved in passing, from the audit log. Admins see those of everyone or of one `person`; others see the ones that they decided.',
    query: questionQuerySchema,
    answers: { 200: { description: 'Figures; times in milliseconds', schema: questionStatsSchema } },
    handle: async ({ context, params: { world }, query, c }) => {
      const isAdmin = mayOf(c)('admin', world);
      const person = isAdmin ? query.person : c.var.signer.who.id;
      const wanted = { person, suggests: isAdmin, signal: c.req.raw.signal };
      return { status: 200, body: await questionStats(context.engine.runtime, world, wanted) };
    },
  }),
];

async function replyAudit(
  { engine, log }: AppContext,
  worldId: string,
  { format, after, limit = PAGE, who }: AuditQuery,
): Promise<Reply | Response> {
  const { store } = engine.runtime;
  const seq = after === undefined ? 0 : readCursor(after, 'after');
  if (format === 'json') return { status: 200, body: await pageAudit(store, worldId, { after: seq, limit, who }) };
  return await exportAudit(store, worldId, { format, after: seq, who, log });
}
