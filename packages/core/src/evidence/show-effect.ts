import { setImmediate } from 'node:timers/promises';
import { effectSchema, predictionSchema, type Effect, type Prediction, type RunEffect } from '@countersign/protocol';
import { maskCallText, maskSecrets } from '../masking/index.js';
import { capText, createOwnSecretStream } from '../results/index.js';

type SinceLook = NonNullable<RunEffect['sinceLook']>;

/** What an effect and a prediction have in common. */
type Changes = Omit<Effect, 'effectHash'>;

interface ShownLimits {
  readonly bytes: number;
  readonly outputBytes: number;
  /** Of one path or diff. */
  readonly textBytes: number;
  readonly files: number;
}

/** `maskCallText` masks nothing in longer text. */
const MASKED_BYTES = 30 * 1024;
/** People don't read more on a card. The hash covers all of it. */
const CARD: ShownLimits = { bytes: 64 * 1024, outputBytes: 16 * 1024, textBytes: MASKED_BYTES, files: 1_000 };
/** If people ask for all of it. `maskSecrets` returns only the start of longer texts. */
const WHOLE: ShownLimits = { bytes: 5_000_000, outputBytes: 64 * 1024, textBytes: 64 * 1024, files: 20_000 };
/** Of a program, and of one of its words or a text of a commit. */
const MOST_WORDS = 100;
const WORD_BYTES = 4 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/**
 * An effect as people see it, truncated before and after masking. Paths and diffs are masked like a preview, and output like a result. Throws if
 * the tool returned something else.
 */
export function showEffect(found: unknown, ownSecrets: readonly string[]): Effect {
  const effect = readEffect(found);
  return { ...showOnCard(effect, ownSecrets), effectHash: effect.effectHash };
}

/** Like `showEffect`, for a prediction, which has no hash (CHANGE9). */
export function showPrediction(found: unknown, ownSecrets: readonly string[]): Prediction {
  const prediction = predictionSchema.parse(found);
  const { hidden, ofFiles } = prediction;
  const more = { ...(hidden === undefined ? {} : { hidden }), ...(ofFiles === undefined ? {} : { ofFiles }) };
  return { ...showOnCard(prediction, ownSecrets), ...more };
}

function readEffect(found: unknown): Effect {
  const effect = effectSchema.parse(found);
  if (!HASH.test(effect.effectHash)) throw new Error('the tool returned no hash of the effect');
  return effect;
}

function showOnCard(changes: Changes, ownSecrets: readonly string[]): Changes {
  const parts = showing(changes, ownSecrets, CARD);
  for (;;) {
    const next = parts.next();
    if (next.done === true) return next.value;
  }
}

const BLOCK_MS = 10;

/** Like `showEffect`, with much higher limits. Yields to the event loop, because masking this much takes up to a second. */
export async function showWhole(found: unknown, ownSecrets: readonly string[]): Promise<Effect> {
  const effect = readEffect(found);
  const parts = showing(effect, ownSecrets, WHOLE);
  for (let began = performance.now(); ;) {
    const next = parts.next();
    if (next.done === true) return { ...next.value, effectHash: effect.effectHash };
    if (performance.now() - began < BLOCK_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}

/** Yields after each text. */
function* showing(
  effect: Changes,
  ownSecrets: readonly string[],
  limits: ShownLimits,
): Generator<undefined, Changes, undefined> {
  let cuts = effect.truncated || effect.leftOut.length > limits.files ? 1 : 0;
  let room = limits.bytes;
  const show = (text: string, mask = maskCallText, most = limits.textBytes): string => {
    const roughly = capText(text, Math.max(MASKED_BYTES, most));
    const own = createOwnSecretStream(ownSecrets);
    const plain = own.push(roughly) + own.end();
    const masked = Buffer.byteLength(plain) > MASKED_BYTES ? maskSecrets(plain) : mask(plain);
    const shown = capText(masked, Math.min(most, room));
    if (roughly !== text || shown !== masked) cuts += 1;
    room = Math.max(0, room - Buffer.byteLength(shown));
    return shown;
  };
  /** Stops at the first one with a name that doesn't fit: a part of a path looks like another path. */
  function* showNames<T, U>(all: readonly T[], showOne: (one: T) => U): Generator<undefined, U[], undefined> {
    const shown: U[] = [];
    for (const one of all.slice(0, limits.files)) {
      const before = cuts;
      const names = showOne(one);
      if (cuts > before) break;
      shown.push(names);
      yield;
    }
    return shown;
  }
  /** A program chooses all of these texts. */
  function* showRun(run: RunEffect): Generator<undefined, RunEffect, undefined> {
    const line = (text: string): string => show(text, maskCallText, WORD_BYTES);
    function* showList<T, U>(all: readonly T[] = [], showOne: (one: T) => U): Generator<undefined, U[], undefined> {
      if (all.length > limits.files) cuts += 1;
      return yield* showNames(all, showOne);
    }
    function* showSince({ added, changed, removed, unlisted }: SinceLook): Generator<undefined, SinceLook, undefined> {
      const all = {
        added: yield* showList(added, (path) => show(path)),
        changed: yield* showList(changed, (path) => show(path)),
        removed: yield* showList(removed, (path) => show(path)),
      };
      const cut = added.length + changed.length + removed.length - Object.values(all).flat().length;
      return { ...all, unlisted: unlisted + cut };
    }
    if ([run.program, ...(run.later ?? [])].some((words) => words.length > MOST_WORDS)) cuts += 1;
    return {
      ...run,
      program: run.program.slice(0, MOST_WORDS).map(line),
      ...(run.later === undefined
        ? {}
        : { later: yield* showList(run.later, (words) => words.slice(0, MOST_WORDS).map(line)) }),
      ...(run.requests === undefined
        ? {}
        : {
            requests: yield* showList(run.requests, ({ message, ...asked }) => ({ ...asked, message: show(message) })),
          }),
      ...(run.sinceLook === undefined ? {} : { sinceLook: yield* showSince(run.sinceLook) }),
      notes: yield* showList(run.notes, line),
      commits: yield* showList(run.commits, ({ id, subject, message, author, files }) => ({
        ...{ id: show(id), subject: line(subject), message: line(message), author: line(author), files },
      })),
      refs: yield* showList(run.refs, ({ name, paths, ...ref }) => ({
        ...ref,
        name: show(name),
        ...(paths === undefined ? {} : { paths: paths.map((path) => show(path)) }),
      })),
      notApplied: yield* showList(run.notApplied, ({ path, ...rest }) => ({ ...rest, path: show(path) })),
      hosts: yield* showList(run.hosts, ({ host, ...rest }) => ({ ...rest, host: show(host) })),
      variables: yield* showList(run.variables, (name) => show(name)),
      changedOutside: yield* showList(run.changedOutside, (path) => show(path)),
    };
  }
  const output = show(effect.output, maskSecrets, limits.outputBytes);
  // All names come before the first diff: a command could otherwise hide behind long diffs which other files it changes.
  const named = yield* showNames(effect.files, ({ path, from, target, ...file }) => ({
    ...file,
    path: show(path),
    ...(from === undefined ? {} : { from: show(from) }),
    ...(target === undefined ? {} : { target: show(target) }),
  }));
  const run = effect.run === undefined ? undefined : yield* showRun(effect.run);
  const leftOut = yield* showNames(effect.leftOut, ({ path, why, ...left }) => ({
    ...left,
    path: show(path),
    why: show(why),
  }));
  const files: Effect['files'] = [];
  for (const { diff, ...file } of named) {
    const shown = diff === undefined ? '' : show(diff);
    const isDropped = diff !== undefined && shown === '';
    files.push(isDropped ? { ...file, noDiff: 'no-room' } : shown === '' ? file : { ...file, diff: shown });
    yield;
  }
  const { exitCode, triedHosts } = effect;
  const unlisted = (effect.unlisted ?? 0) + effect.files.length - files.length;
  const truncated = cuts > 0 || unlisted > 0;
  // A program can put a secret into the name of a host.
  const hosts = triedHosts?.map((host) => show(host)).filter((host) => host !== '') ?? [];
  return {
    files,
    leftOut,
    exitCode,
    output,
    truncated,
    ...(unlisted === 0 ? {} : { unlisted }),
    ...(hosts.length === 0 ? {} : { triedHosts: hosts }),
    ...(run === undefined ? {} : { run }),
  };
}
