import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { runEffectSchema, type ChangedFile, type Effect, type RunEffect } from '@countersign/protocol';
import { looksBinary } from './looks-binary.js';
import { mediaTypeOf } from './media-type.js';
import { type Diff, unifiedDiff } from './unified-diff.js';
import { signedParts } from '../git/git-change.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { whyLeftOut, whyRunLeftOut, type LeftOut } from '../inspect/left-out.js';
import { find } from '../files/open-folder.js';
import { versionOf } from '../plan/plan.js';
import { guessMoves, type Moves } from './guess-moves.js';
import { runsLater } from '../runs-later/runs-later.js';
import { readVersion, type Change, type Put, type Removal } from './list-changes.js';
import { readDrafted, readOld } from './read-content.js';

/** What a command printed and how it ended, with notes about it. A yes returns exactly this to the model. */
export interface KeptResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly note?: string;
}

/** What a command did besides its changes. */
export interface Rehearsed {
  readonly leftOut: readonly LeftOut[];
  readonly result: KeptResult;
  /** The hosts that it tried to reach without network. Not part of the hash: nothing is applied from it. */
  readonly triedHosts?: readonly string[];
  /** What else a run did. Part of the hash. */
  readonly run?: RunEffect;
}

/** How much of an effect people see. The hash covers all of it. */
export interface EffectLimits {
  /** The largest file whose lines are compared. */
  readonly comparedBytes: number;
  readonly diffChars: number;
  readonly diffLines: number;
  readonly allDiffChars: number;
  readonly outputChars: number;
  /** Paths that are listed by name. */
  readonly files: number;
}

const EFFECT_LIMITS: EffectLimits = {
  comparedBytes: 512 * 1024,
  diffChars: 16 * 1024,
  diffLines: 600,
  allDiffChars: 64 * 1024,
  outputChars: 16 * 1024,
  files: 500,
};

/** If people ask for all of it. */
export const WHOLE_LIMITS: EffectLimits = {
  comparedBytes: 512 * 1024,
  diffChars: 64 * 1024,
  diffLines: 50_000,
  allDiffChars: 4 * 1024 ** 2,
  outputChars: 64 * 1024,
  files: 20_000,
};

/** What a planned draft will do to the working folder, for people and for the signature (CHANGE8). Reads only paths that the draft changes. */
export async function effectOf(
  draft: PlannedChange,
  changes: readonly Change[],
  { leftOut, result, triedHosts = [], run }: Rehearsed,
  { signal, limits = EFFECT_LIMITS }: { signal?: AbortSignal; limits?: EffectLimits } = {},
): Promise<Effect> {
  const moves = await guessMoves(draft.workingDirectory, changes, signal);
  const all = changes.flatMap((change) => filesOf(change, moves)).toSorted(byHarm);
  const marked = all.slice(0, limits.files).map((file) => markRunsLater(file, draft.workingDirectory));
  const listed = await addOwners(marked, draft, changes);
  const { files, isCut } = await addDiffs(listed, draft, changes, { signal, limits });
  const printed = [result.stdout, result.stderr].filter((text) => text !== '').join('\n');
  const output = cut(printed, limits.outputChars, '[The rest of the output is not shown.]');
  const unlisted = all.length - listed.length;
  return {
    files,
    leftOut: leftOut.slice(0, limits.files).map(({ path, why }) => ({
      path,
      why: run === undefined ? whyLeftOut(why) : whyRunLeftOut(why),
      ...(why === 'runs-later' ? { runsLater: true } : {}),
    })),
    effectHash: hashEffect(changes, {
      leftOut,
      result,
      ...(run === undefined ? {} : { run }),
      ...(draft.git === undefined ? {} : { git: draft.git }),
    }),
    exitCode: result.exitCode,
    output,
    truncated: isCut || output !== printed || unlisted > 0 || leftOut.length > limits.files,
    ...(unlisted === 0 ? {} : { unlisted }),
    ...(triedHosts.length === 0 ? {} : { triedHosts: [...triedHosts] }),
    ...(run === undefined ? {} : { run }),
  };
}

const VERSION = 'countersign effect 1';

/** The hash that is signed. Only arrays, texts and numbers in a fixed order, so that equal effects are equal texts. */
export function hashEffect(
  changes: readonly Change[],
  { leftOut, result, run, git }: Rehearsed & Pick<PlannedChange, 'git'>,
): string {
  const lines = changes.map((change) => {
    switch (change.do) {
      case 'keep':
        return ['keep', change.path, change.was.dev, change.was.ino, change.was.mode, change.mode];
      case 'remove':
        return ['remove', change.path, change.was];
      case 'put': {
        const { path, kind, mode, uid, gid, bytes, hash, target, sameAs, was } = change;
        return ['put', path, kind, mode, uid, gid, bytes, hash, target, sameAs, was];
      }
    }
  });
  const left = leftOut.map(({ path, why }) => [path, why]);
  const { exitCode, stdout, stderr, note = '' } = result;
  // The schema puts the keys in order.
  const more = [
    ...(run === undefined ? [] : [runEffectSchema.parse(run)]),
    ...(git === undefined ? [] : [signedParts(git)]),
  ];
  const text = JSON.stringify([VERSION, lines, left, exitCode, stdout, stderr, note, ...more]);
  return createHash('sha256').update(text).digest('hex');
}

function filesOf(change: Change, moves: Moves): ChangedFile[] {
  switch (change.do) {
    case 'keep':
      if (change.mode === change.was.mode) return [];
      return [{ path: change.path || '.', change: 'changed', kind: 'folder', mode: octal(change.mode) }];
    case 'remove':
      return removedFile(change, moves);
    case 'put':
      return [putFile(change, moves)];
  }
}

function removedFile({ path, was: [top, ...below] }: Removal, moves: Moves): ChangedFile[] {
  const { kind, bytes } = readVersion(top?.[1] ?? '');
  const isGone = (inner: string, version: string): boolean =>
    readVersion(version).kind !== 'folder' && !moves.from.has(join(path, inner));
  if (kind === 'folder') {
    const contains = below.filter(([inner, version]) => isGone(inner, version)).length;
    return [{ path, change: 'removed', kind, ...(contains === 0 ? {} : { contains }) }];
  }
  if (moves.from.has(path)) return [];
  return [{ path, change: 'removed', kind, ...(kind === 'file' ? { bytes } : {}) }];
}

function putFile({ path, kind, mode, bytes, target, was }: Put, moves: Moves): ChangedFile {
  const from = moves.to.get(path);
  const old = was === '' ? undefined : readVersion(was);
  const isSameMode = kind === 'link' || (old?.kind === kind && old.mode === mode) || from?.mode === mode;
  return {
    path,
    change: from !== undefined ? 'moved' : old === undefined ? 'added' : 'changed',
    ...(from === undefined ? {} : { from: from.path }),
    kind,
    ...(isSameMode ? {} : { mode: octal(mode) }),
    ...(kind === 'file' ? { bytes } : {}),
    ...(kind === 'link' ? { target } : {}),
  };
}

const ORDER = ['removed', 'changed', 'moved', 'added'] as const;

function byHarm(a: ChangedFile, b: ChangedFile): number {
  return ORDER.indexOf(a.change) - ORDER.indexOf(b.change);
}

/** By its name. A file that only settings name is marked where it is left out. */
export function markRunsLater(file: ChangedFile, workingDirectory: string): ChangedFile {
  return runsLater(workingDirectory, join(workingDirectory, file.path)) === undefined
    ? file
    : { ...file, runsLater: true };
}

/** A command can't change owners, but a file that it replaces becomes ours. */
async function addOwners(
  listed: readonly ChangedFile[],
  { workingDirectory }: PlannedChange,
  changes: readonly Change[],
): Promise<ChangedFile[]> {
  const puts = new Map(changes.flatMap((change) => (change.do === 'put' ? [[change.path, change] as const] : [])));
  return await Promise.all(
    listed.map(async (file) => {
      const put = file.change === 'changed' ? puts.get(file.path) : undefined;
      if (put === undefined || put.was === '') return file;
      const there = await find(join(workingDirectory, put.path)).catch(() => undefined);
      if (there === undefined || versionOf(there) !== put.was) return file;
      const isSame = Number(there.uid) === put.uid && Number(there.gid) === put.gid;
      return isSame ? file : { ...file, owner: `${put.uid}:${put.gid}` };
    }),
  );
}

async function addDiffs(
  listed: readonly ChangedFile[],
  draft: PlannedChange,
  changes: readonly Change[],
  { signal, limits }: { signal: AbortSignal | undefined; limits: EffectLimits },
): Promise<{ files: ChangedFile[]; isCut: boolean }> {
  const puts = new Map(changes.flatMap((change) => (change.do === 'put' ? [[change.path, change] as const] : [])));
  const files: ChangedFile[] = [];
  let left = limits.allDiffChars;
  let isCut = false;
  for (const file of listed) {
    signal?.throwIfAborted();
    const put = file.change === 'changed' || file.change === 'added' ? puts.get(file.path) : undefined;
    if (put?.kind !== 'file') {
      files.push(file);
      continue;
    }
    const found = left <= 0 ? 'no-room' : await diffOf(put, draft, limits);
    if (typeof found === 'string') {
      if (found !== 'same') isCut = true;
      files.push({ ...file, noDiff: found });
      continue;
    }
    if ('isBinary' in found) {
      const { mediaType } = found;
      files.push({ ...file, noDiff: 'binary', ...(mediaType === undefined ? {} : { mediaType }) });
      continue;
    }
    const diff = cut(found.text, Math.min(limits.diffChars, left), '[The rest of this change is not shown.]');
    // Comparing very different files takes long and shows little, so it counts for more.
    left -= found.truncated ? Math.max(diff.length, limits.diffChars / 4) : diff.length;
    isCut ||= found.truncated || diff !== found.text;
    files.push({ ...file, diff, lines: found.lines });
  }
  return { files, isCut };
}

type Compared = Diff | (Pick<ChangedFile, 'mediaType'> & { isBinary: true }) | 'same' | 'too-large';

/** `too-large`: or the old file can't be read. */
async function diffOf(
  { path, bytes, was }: Put,
  { workingDirectory, upper }: PlannedChange,
  limits: EffectLimits,
): Promise<Compared> {
  const old = was === '' ? undefined : readVersion(was);
  const drafted = join(upper, path);
  if (bytes > limits.comparedBytes || (old?.bytes ?? 0) > limits.comparedBytes) {
    const head = await readDrafted(drafted, HEAD_BYTES);
    return looksBinary(head) ? binary(head) : 'too-large';
  }
  const after = await readDrafted(drafted);
  const before = old?.kind === 'file' ? await readOld(workingDirectory, path, was) : undefined;
  if (old?.kind === 'file' && before === undefined) return 'too-large';
  if (before?.equals(after) === true) return 'same';
  if (looksBinary(after) || (before !== undefined && looksBinary(before))) return binary(after);
  const [oldText, newText] = [before?.toString(), after.toString()];
  // Different bytes that aren't text may look the same.
  return oldText === newText ? binary(after) : unifiedDiff(path, oldText, newText, limits.diffLines);
}

const HEAD_BYTES = 4096;

function binary(content: Buffer): Compared {
  const mediaType = mediaTypeOf(content);
  return { isBinary: true, ...(mediaType === undefined ? {} : { mediaType }) };
}

/** At a line break, if there is one. */
function cut(text: string, chars: number, note: string): string {
  if (text.length <= chars) return text;
  const end = text.lastIndexOf('\n', chars);
  return `${text.slice(0, end > 0 ? end : chars)}\n${note}`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
