import { decideCall } from '@countersign/core';
import {
  applyRunSchema,
  CountersignError,
  listOf,
  listQuerySchema,
  runSchema,
  startedRunSchema,
  startRunSchema,
} from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { route } from '../app/route.js';
import { applyRun, endRun } from '../runs/end-run.js';
import { showRun } from '../runs/show-run.js';
import { draftsOf, startRun } from '../runs/start-run.js';
import { pageOf, requireApprovals, signerOf } from './support.js';

const tag = 'runs';
const scope = 'own-server';

interface Named {
  world: string;
  run: string;
}

/** Also for a run in another world, so that its existence isn't revealed. */
async function readRun(context: AppContext, { world, run: id }: Named) {
  const run =
    context.runs === undefined || 'refused' in context.runs.drafts ? undefined : await draftsOf(context).kept.read(id);
  if (run === undefined || run.record.worldId !== world)
    throw new CountersignError('not-found', `there is no run "${id}" in this world`);
  return run;
}

async function answer(context: AppContext, named: Named) {
  const run = await readRun(context, named);
  return { status: 200, body: await context.engine.runtime.store.read((reader) => showRun(reader, run)) };
}

export const runRoutes = [
  route({
    method: 'post',
    path: '/worlds/{world}/runs',
    scope,
    needs: 'chat',
    tag,
    summary: 'Start a run: make the draft in which a program may work',
    description:
      "The caller then runs the program over the draft, on the same machine and as the same user. 409 if this machine can't make such drafts.",
    body: startRunSchema,
    answers: { 201: { description: 'What the supervisor needs', schema: startedRunSchema } },
    handle: async ({ context, params, body, c }) => ({
      status: 201,
      body: await startRun(context, params.world, body, await signerOf(c, context, params.world)),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/runs/{run}/end',
    scope,
    needs: 'chat',
    tag,
    summary: 'Seal what an ended run changed, and ask about it',
    description:
      "Reads ended.json in the run's folder. Repeating it changes nothing. 409 if the program is still running.",
    answers: { 200: { description: 'The run', schema: runSchema } },
    async handle({ context, params }) {
      const { ended } = await readRun(context, params);
      if (ended === undefined) throw new CountersignError('conflict', 'The program is still running.');
      await endRun(context, params.run);
      return await answer(context, params);
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/runs',
    scope,
    needs: 'read',
    tag,
    summary: 'List the runs of a world on this machine, newest first',
    query: listQuerySchema,
    answers: { 200: { description: 'Runs', schema: listOf(runSchema) } },
    async handle({ context, params, query }) {
      const { store } = context.engine.runtime;
      const all = await store.read(async (reader) => {
        if ((await reader.world(params.world)) === undefined)
          throw new CountersignError('not-found', `there is no world "${params.world}"`);
        if (context.runs === undefined || 'refused' in context.runs.drafts) return [];
        const { kept } = context.runs.drafts;
        const found = await Promise.all((await kept.list()).map((id) => kept.read(id)));
        const own = found.filter((run) => run?.record.worldId === params.world).filter((run) => run !== undefined);
        return await Promise.all(own.map((run) => showRun(reader, run)));
      });
      const sorted = all.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt) || a.id.localeCompare(b.id));
      return { status: 200, body: pageOf(sorted, ({ id }) => id, query) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/runs/{run}',
    scope,
    needs: 'read',
    tag,
    summary: 'Get a run',
    answers: { 200: { description: 'The run', schema: runSchema } },
    handle: async ({ context, params }) => await answer(context, params),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/runs/{run}/apply',
    scope,
    needs: 'chat',
    tag,
    summary: "Ask again about a run's changes, against the folder as it is now",
    description:
      'Applies nothing without a new approval. Does nothing while one waits. 409 if they were applied or discarded.',
    body: applyRunSchema,
    bodyOptional: true,
    answers: { 200: { description: 'The run', schema: runSchema } },
    async handle({ context, params, body }) {
      await readRun(context, params);
      await applyRun(context, params.run, body.include);
      return await answer(context, params);
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/runs/{run}/discard',
    scope,
    needs: 'sign',
    tag,
    summary: "Remove a run's draft",
    description:
      'Denies the call that waits for a decision about it. 409 if its changes were applied, or while the program runs.',
    answers: { 200: { description: 'The run', schema: runSchema } },
    async handle({ context, params, c }) {
      const { world } = params;
      await requireApprovals(c, context, world);
      const run = await readRun(context, params);
      const { status } = run;
      await draftsOf(context).kept.discard(params.run);
      if (status?.state === 'waiting' && status.callId !== undefined) {
        const denial = { tool_call_id: status.callId, decision: 'deny', reason: 'The run was discarded.' } as const;
        await decideCall(context.engine.runtime, world, undefined, denial, await signerOf(c, context, world));
      }
      return await answer(context, params);
    },
  }),
];
