import { readFile } from 'node:fs/promises';
import { proposeSealed, sealedCallOf, readRunSetting } from '@countersign/core';
import {
  CountersignError,
  signerSchema,
  type ApplyRun,
  type EndedRun,
  type RunEffect,
  type Signer,
  type TriedHost,
} from '@countersign/protocol';
import { hashOfLogin, programsOf, type KeptRun } from '@countersign/tools';
import type { AppContext } from '../app/context.js';
import { atRest, draftsOf } from './runs.js';

type Context = Pick<AppContext, 'engine' | 'runs'>;

const busy = new Map<string, Promise<unknown>>();

/**
 * Seals what an ended run changed, and proposes the call that applies it. Does nothing if that was done, and finishes it if this process or an
 * earlier one was interrupted in between.
 */
export async function endRun(context: Context, id: string): Promise<void> {
  await oneAtATime(id, async () => {
    const { kept } = draftsOf(context);
    const run = await kept.read(id);
    if (run?.ended === undefined) return;
    if (run.status === undefined || run.status.state === 'restarted') await sealAndPropose(context, run, run.ended);
    else if (run.status.state === 'waiting') await proposeAgain(context, run, run.status);
  });
}

/** Asks again about a run whose changes weren't applied, against the folder as it is now, with what a person wants besides. */
export async function applyRun(context: Context, id: string, more: ApplyRun, by: Signer): Promise<void> {
  const isSame = more.include.length === 0 && !more.login && more.branch === undefined;
  atRest.delete(id);
  await oneAtATime(id, async () => {
    const run = await draftsOf(context).kept.read(id);
    if (run?.ended === undefined) throw new CountersignError('conflict', 'The program is still running.');
    const { state, callId } = run.status ?? {};
    if (state === 'unchanged' && isSame) throw new CountersignError('conflict', 'This run changed nothing.');
    if (state === 'waiting' && (await isOpen(context, callId))) {
      if (isSame) return;
      const detail = 'A decision about this run is pending. Deny it first, then apply it in another way.';
      throw new CountersignError('conflict', detail);
    }
    await sealAndPropose(context, run, run.ended, { ...more, notes: askedBy(run, by) });
  });
}

/** The call names who started the run. Those who sign should know if somebody else chose what to apply. */
function askedBy({ record }: KeptRun, { who }: Signer): string[] {
  return who.id === signerSchema.parse(record.by).who.id ? [] : [`${who.name} asked to apply this run again.`];
}

export async function isOpen({ engine }: Context, callId: string | undefined): Promise<boolean> {
  if (callId === undefined) return false;
  const call = await engine.runtime.store.read((reader) => reader.invocation(callId));
  return call !== undefined && call.settledAt === null;
}

/** Seals the draft against the folder as it is now, and proposes the call that applies it. Only while nothing else is done about the run. */
export async function sealAndPropose(
  context: Context,
  run: KeptRun,
  ended: EndedRun,
  { notes = [], login: includesLogin = false, ...more }: Partial<ApplyRun> & { notes?: readonly string[] } = {},
): Promise<void> {
  const { runtime } = context.engine;
  const drafts = draftsOf(context);
  const { id, worldId, agentId, part } = run.record;
  const { protectedPaths } = await readRunSetting(runtime, worldId, agentId);
  const login = ended.login === undefined ? undefined : await describeLogin(ended.login, includesLogin);
  const about = describeRun(run, { ...ended, notes: [...ended.notes, ...notes] }, login);
  const include = [...(part?.include ?? []), ...(more.include ?? [])];
  const signal = context.engine.closing;
  if ((await drafts.seal(id, { protectedPaths, about, ...more, include, signal })) === undefined) return;
  const by = signerSchema.parse(run.record.by);
  const key = `apply ${(run.status?.calls ?? 0) + 1}`;
  const call = sealedCallOf(runtime, worldId, { agentId, session: id, key }, by);
  // Before it is proposed: a rule may let it start at once.
  await drafts.kept.bind(id, call);
  await propose(context, run, key, by);
}

/** The server died after it had named the call. */
async function proposeAgain(
  context: Context,
  run: KeptRun,
  { callId, calls }: NonNullable<KeptRun['status']>,
): Promise<void> {
  const call = await context.engine.runtime.store.read((reader) => reader.invocation(callId ?? ''));
  if (call === undefined) await propose(context, run, `apply ${calls}`, signerSchema.parse(run.record.by));
}

async function propose({ engine }: Context, { record, status }: KeptRun, key: string, by: Signer): Promise<void> {
  const { id, worldId, agentId } = record;
  const [program = [], ...later] = programsOf(record);
  const proposal = {
    agentId,
    session: id,
    key,
    arguments: { run: id, program, ...(later.length === 0 ? {} : { later }) },
    alsoBy: [...(record.part?.requesters ?? []), ...(status?.requests ?? []).map((request) => request.by)],
    title: titleOf(program),
  };
  await proposeSealed(engine.runtime, worldId, proposal, by);
}

function titleOf(program: readonly string[]): string {
  const title = program
    .join(' ')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return title === '' ? 'run' : title.slice(0, 200);
}

async function describeLogin(
  { agent, file, account, renewed }: NonNullable<EndedRun['login']>,
  isIncluded: boolean,
): Promise<NonNullable<RunEffect['login']>> {
  const hash = hashOfLogin(await readFile(renewed, 'utf8').catch(() => ''));
  return { agent, file, account, hash, ...(isIncluded && account !== 'same' ? { included: true } : {}) };
}

function describeRun({ record, status }: KeptRun, last: EndedRun, login: RunEffect['login']): RunEffect {
  const { hidden, trackedHidden, part, rounds = [] } = record;
  const [program = [], ...later] = programsOf(record);
  const all = [...rounds.map(({ ended }) => ended), last];
  const hosts = addTries(all.flatMap((one) => one.hosts));
  const variables = [...new Set(all.flatMap((one) => one.variables))];
  const notes = [...new Set(all.flatMap((one) => one.notes))];
  const requests = (status?.requests ?? []).map(({ by, message, comments }) => ({
    by: by.name,
    message,
    comments: comments.length,
  }));
  return {
    program: [...program],
    exitCode: last.exitCode,
    ...(part === undefined ? {} : { part: { of: part.of, by: part.requesters.at(-1)?.name ?? '' } }),
    ...(requests.length === 0 ? {} : { requests }),
    ...(later.length === 0 ? {} : { later: later.map((words) => [...words]) }),
    ...(hosts.length === 0 ? {} : { hosts }),
    ...(variables.length === 0 ? {} : { variables: variables.toSorted() }),
    ...(hidden.length === 0 ? {} : { hidden: hidden.length }),
    ...(trackedHidden ? { trackedHidden: true } : {}),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
    ...(login === undefined ? {} : { login }),
  };
}

/** What each program of a run tried to reach, together. */
function addTries(all: readonly TriedHost[]): TriedHost[] {
  const found = new Map<string, TriedHost>();
  for (const tried of all) {
    const key = `${tried.host} ${tried.port} ${tried.allowed}`;
    found.set(key, { ...tried, count: tried.count + (found.get(key)?.count ?? 0) });
  }
  return [...found.values()];
}

export async function oneAtATime<T>(id: string, act: () => Promise<T>): Promise<T> {
  const before = busy.get(id) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(act);
  busy.set(id, mine);
  try {
    return await mine;
  } finally {
    if (busy.get(id) === mine) busy.delete(id);
  }
}
