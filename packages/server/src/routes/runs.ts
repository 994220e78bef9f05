import { decideCall, recordRun } from '@countersign/core';
import {
  applyRunSchema,
  askRunSchema,
  CountersignError,
  listOf,
  listQuerySchema,
  restartRunSchema,
  runSchema,
  selectRunSchema,
  startedRunSchema,
  startRunSchema,
  type Signer,
} from '@countersign/protocol';
import type { KeptRun } from '@countersign/tools';
import type { AppContext } from '../app/context.js';
import { route, type Answer, type Route } from '../app/route.js';
import { applyRun, endRun, oneAtATime } from '../runs/end-run.js';
import { showRun } from '../runs/show-run.js';
import { draftsOf, findDrafts, readRuns } from '../runs/runs.js';
import { restartRun, sendBack } from '../runs/send-back.js';
import { selectRun } from '../runs/select-run.js';
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

interface RunRoute<Body> extends Pick<Parameters<typeof route<string, unknown, Body>>[0], 'body' | 'bodyOptional'> {
  readonly method: 'get' | 'post';
  /** Below the run. */
  readonly path: string;
  readonly needs: 'read' | 'chat' | 'sign';
  readonly summary: string;
  readonly description?: string;
  readonly answer?: Answer;
  /** Returns the body of the answer. By default, it is the run as it is then. */
  readonly act?: (input: { context: AppContext; run: KeptRun; body: Body; by: Signer }) => Promise<unknown>;
}

/** A route about one run of the world. */
function runRoute<Body>({ path, answer: answered, act, ...facts }: RunRoute<Body>): Route {
  return route({
    ...facts,
    path: `/worlds/{world}/runs/{run}${path}` as '/worlds/{world}/runs/{run}',
    scope,
    tag,
    answers: { 200: answered ?? { description: 'The run', schema: runSchema } },
    async handle({ context, params, body, c }) {
      if (facts.needs === 'sign') await requireApprovals(c, context, params.world);
      const run = await readRun(context, params);
      const done = await act?.({ context, run, body, by: await signerOf(c, context, params.world) });
      return done === undefined ? await answer(context, params) : { status: 200, body: done };
    },
  });
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
  runRoute({
    method: 'post',
    path: '/end',
    needs: 'chat',
    summary: 'Seal what an ended run changed, and ask about it',
    description:
      "Reads ended.json in the run's folder. Repeating it changes nothing. 409 if the program is still running.",
    async act({ context, run }) {
      if (run.ended === undefined) throw new CountersignError('conflict', 'The program is still running.');
      await endRun(context, run.record.id);
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
  runRoute({ method: 'get', path: '', needs: 'read', summary: 'Get a run' }),
  runRoute({
    method: 'post',
    path: '/apply',
    needs: 'chat',
    summary: "Ask again about a run's changes, against the folder as it is now",
    description:
      'Applies nothing without a new approval. Does nothing while one waits. 409 if they were applied or discarded.',
    body: applyRunSchema,
    bodyOptional: true,
    act: ({ context, run, body, by }) => applyRun(context, run.record.id, body, by),
  }),
  runRoute({
    method: 'post',
    path: '/request-changes',
    needs: 'sign',
    summary: 'Ask for changes to a run',
    description:
      'Withdraws the call that waits for a decision and keeps the draft. The message reaches a program when the person who started the run runs one in the draft again. 409 if the changes were applied or discarded, or while the program runs.',
    body: askRunSchema,
    act: ({ context, run, body, by }) => sendBack(context, run.record.id, body, by),
  }),
  runRoute({
    method: 'post',
    path: '/select',
    needs: 'sign',
    summary: 'Ask about a part of what a run changed',
    description:
      'Copies the selected files and blocks of lines into a run of its own, whose call applies exactly them and moves no ref. The run itself stays as it is, and when its part was applied, the rest is asked about again. 409 if the change is no longer the same, or if that part can’t be applied alone.',
    body: selectRunSchema,
    answer: { description: 'The new run', schema: runSchema },
    async act({ context, run: { record }, body, by }) {
      const part = await selectRun(context, record.id, body, by);
      return (await answer(context, { world: record.worldId, run: part })).body;
    },
  }),
  runRoute({
    method: 'post',
    path: '/restart',
    needs: 'chat',
    summary: 'Open the draft of a run that was sent back for another program',
    description:
      'The caller then runs the program over the draft, as after starting a run. Only for the person who started the run. 409 if nobody has asked for changes.',
    body: restartRunSchema,
    answer: { description: 'What the supervisor needs', schema: startedRunSchema },
    act: ({ context, run, body, by }) => restartRun(context, run.record.id, body, by),
  }),
  runRoute({
    method: 'post',
    path: '/discard',
    needs: 'sign',
    summary: "Remove a run's draft",
    description:
      'Denies the call that waits for a decision about it. 409 if its changes were applied, or while the program runs.',
    async act({ context, run, by }) {
      const { status, record } = run;
      const { id, worldId } = record;
      const { runtime } = context.engine;
      const drafts = draftsOf(context);
      // A supervisor that couldn't start the program discards it.
      if (run.ended === undefined && !(await drafts.isInUse(run))) await drafts.kept.noteEnd(id, SUPERVISOR_DIED);
      await drafts.kept.discard(id);
      await recordRun(runtime, { ...record, kind: 'run-discarded' }, by);
      if (status?.state === 'waiting' && status.callId !== undefined) {
        const denial = { tool_call_id: status.callId, decision: 'deny', reason: 'The run was discarded.' } as const;
        await decideCall(runtime, worldId, undefined, denial, by);
      }
    },
  }),
];
