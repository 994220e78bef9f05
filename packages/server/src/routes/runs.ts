import { decideCall, recordRun } from '@countersign/core';
import {
  applyRunSchema,
  askRunSchema,
  CountersignError,
  listOf,
  listQuerySchema,
  restartRunSchema,
  runSchema,
  startedRunSchema,
  startRunSchema,
} from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { route } from '../app/route.js';
import { applyRun, endRun, oneAtATime } from '../runs/end-run.js';
import { showRun } from '../runs/show-run.js';
import { draftsOf, findDrafts, readRuns } from '../runs/runs.js';
import { restartRun, sendBack } from '../runs/send-back.js';
import { startRun } from '../runs/start-run.js';
import { SUPERVISOR_DIED } from '../runs/watch-runs.js';
import { pageOf, requireApprovals, signerOf } from './support.js';

const tag = 'runs';
const scope = 'own-server';

interface Named {
  world: string;
  run: string;
}

/** Also for a run in another world, so that its existence isn't revealed. */
async function readRun(context: AppContext, { world, run: id }: Named) {
  const run = await findDrafts(context)?.kept.read(id);
  if (run === undefined || run.record.worldId !== world)
    throw new CountersignError('not-found', `there is no run "${id}" in this world`);
  return run;
}

async function answer(context: AppContext, named: Named) {
  const show = async () => {
    const run = await readRun(context, named);
    return await context.engine.runtime.store.read((reader) => showRun(reader, run));
  };
  const body = await show();
  if (body.state !== 'denied') return { status: 200, body };
  // Asking for changes denies the call first. People who wait for the decision must see both.
  await oneAtATime(named.run, async () => undefined);
  return { status: 200, body: await show() };
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
      if ((await store.read((reader) => reader.world(params.world))) === undefined)
        throw new CountersignError('not-found', `there is no world "${params.world}"`);
      const drafts = findDrafts(context);
      const all = drafts === undefined ? [] : await readRuns(drafts);
      const own = all
        .filter(({ record }) => record.worldId === params.world)
        .toSorted(({ record: a }, { record: b }) => b.startedAt - a.startedAt || a.id.localeCompare(b.id));
      const { items, ...page } = pageOf(own, ({ record }) => record.id, query);
      const shown = await store.read((reader) => Promise.all(items.map((run) => showRun(reader, run))));
      return { status: 200, body: { items: shown, ...page } };
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
    async handle({ context, params, body, c }) {
      await readRun(context, params);
      await applyRun(context, params.run, body, await signerOf(c, context, params.world));
      return await answer(context, params);
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/runs/{run}/request-changes',
    scope,
    needs: 'sign',
    tag,
    summary: 'Ask for changes to a run',
    description:
      'Withdraws the call that waits for a decision and keeps the draft. The message reaches a program when the person who started the run runs one in the draft again. 409 if the changes were applied or discarded, or while the program runs.',
    body: askRunSchema,
    answers: { 200: { description: 'The run', schema: runSchema } },
    async handle({ context, params, body, c }) {
      await requireApprovals(c, context, params.world);
      await readRun(context, params);
      await sendBack(context, params.run, body, await signerOf(c, context, params.world));
      return await answer(context, params);
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/runs/{run}/restart',
    scope,
    needs: 'chat',
    tag,
    summary: 'Open the draft of a run that was sent back for another program',
    description:
      'The caller then runs the program over the draft, as after starting a run. Only for the person who started the run. 409 if nobody has asked for changes.',
    body: restartRunSchema,
    answers: { 200: { description: 'What the supervisor needs', schema: startedRunSchema } },
    async handle({ context, params, body, c }) {
      await readRun(context, params);
      const by = await signerOf(c, context, params.world);
      return { status: 200, body: await restartRun(context, params.run, body, by) };
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
      const { status, record } = run;
      const { runtime } = context.engine;
      const signer = await signerOf(c, context, world);
      const drafts = draftsOf(context);
      // A supervisor that couldn't start the program discards it.
      if (run.ended === undefined && !(await drafts.isInUse(run)))
        await drafts.kept.noteEnd(params.run, SUPERVISOR_DIED);
      await drafts.kept.discard(params.run);
      await recordRun(runtime, { ...record, kind: 'run-discarded' }, signer);
      if (status?.state === 'waiting' && status.callId !== undefined) {
        const denial = { tool_call_id: status.callId, decision: 'deny', reason: 'The run was discarded.' } as const;
        await decideCall(runtime, world, undefined, denial, signer);
      }
      return await answer(context, params);
    },
  }),
];
