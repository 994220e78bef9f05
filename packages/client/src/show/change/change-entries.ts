import type { ChangedFile, Effect, Prediction, RunEffect } from '@countersign/protocol';
import type { ApprovalView } from '../../state/state.js';
import { describeCall } from '../call/describe-call.js';
import { changeLines, diffLines } from '../call/diff-lines.js';
import { effectText, type EffectFile } from '../call/effect-text.js';
import { oneLine } from '../call/run-text.js';
import { numberLines, type DiffRow } from './diff-rows.js';

/** One file, folder or link of a change, for a person who goes through it file by file. */
export interface ChangeFile {
  readonly kind: 'file';
  /** On one line, and different from all others. */
  readonly path: string;
  /** As the server knows it. Undefined if nothing of it can be selected on its own. */
  readonly exactPath?: string;
  readonly status: ChangedFile['change'] | 'left-out';
  readonly sign: string;
  /** What else changes, such as `from old.txt`, or why it is left out. Empty if nothing. */
  readonly about: string;
  readonly bytes?: number;
  readonly lines?: NonNullable<ChangedFile['lines']>;
  /** Programs outside the sandbox run it by themselves. */
  readonly runsLater: boolean;
  /** Its text is what a person signs, so its end must have been shown. */
  readonly isCall: boolean;
  /** The lines of its diff, and what about them can't be shown. Takes time for a long file. */
  readonly read: () => ChangeText;
}

export interface ChangeText {
  readonly rows: readonly DiffRow[];
  /** Empty if all of it is shown. */
  readonly missing: string;
}

/** A folder on one line: generated files, which are rarely read one by one, or ignored files, which are not applied. */
export interface ChangeFolder {
  readonly kind: 'folder';
  readonly path: string;
  readonly about: string;
  /** Empty for ignored files. */
  readonly files: readonly ChangeFile[];
}

export type ChangeEntry = ChangeFile | ChangeFolder;

type Shown = Pick<ApprovalView, 'effect' | 'prediction'> &
  Partial<Pick<ApprovalView, 'toolName' | 'arguments' | 'preview' | 'noEffect'>>;

/** Whether anything says which files the call changes. */
export function hasFiles({ effect, prediction, noEffect, toolName = '', arguments: args }: Shown): boolean {
  const change = prediction ?? effect;
  if (change !== undefined) return change.files.length + change.leftOut.length > 0;
  const { kind } = describeCall(toolName, args, noEffect);
  return kind === 'write' || kind === 'edit';
}

/**
 * What a call changes, file by file: files that run later first, then in the order of the effect, which begins with what is removed. Undefined if
 * nothing says what it changes.
 */
export function changeEntries(shown: Shown): readonly ChangeEntry[] | undefined {
  const change: Effect | Prediction | undefined = shown.prediction ?? shown.effect;
  const call = writtenFile(shown);
  if (change === undefined) return call === undefined ? undefined : [call];
  const words = textsOf(shown);
  const files = [
    ...change.files.map((file, index) => fileOf(file, words[index], call)),
    ...change.leftOut.map(({ path, why, runsLater }): ChangeFile => {
      const about = shown.prediction === undefined ? `will not be applied: ${why}` : 'also changed';
      const read = (): ChangeText => ({ rows: [], missing: NO_TEXT['left-out'] });
      const base = { kind: 'file', status: 'left-out', sign: '!', isCall: false } as const;
      return { ...base, path: oneLine(path), about: oneLine(about), runsLater: runsLater === true, read };
    }),
  ];
  const first = files.filter(({ runsLater }) => runsLater);
  const others = files.filter(({ runsLater }) => !runsLater);
  const run: RunEffect | undefined = 'run' in change ? change.run : undefined;
  return withOwnPaths([...first, ...grouped(others), ...ignoredFolders(run)]);
}

/** The file that a file tool writes, from the call itself, which is shown to its end. */
function writtenFile({ toolName = '', arguments: args, preview, noEffect, ...shown }: Shown): ChangeFile | undefined {
  const shape = describeCall(toolName, args, noEffect);
  const effect = shown.effect ?? shown.prediction;
  if (shape.kind !== 'write' && shape.kind !== 'edit') return undefined;
  const isDiff = preview?.truncated === false;
  const numbered = isDiff ? 'both' : shape.kind === 'write' ? 'new' : 'none';
  return {
    kind: 'file',
    path: oneLine(shape.path),
    status: 'changed',
    sign: '~',
    about: '',
    runsLater: false,
    isCall: true,
    read: () => ({ rows: numberLines(changeLines(shape, preview, effect), numbered), missing: '' }),
  };
}

function fileOf(file: ChangedFile, words: EffectFile | undefined, call: ChangeFile | undefined): ChangeFile {
  const { sign = '', path = oneLine(file.path), about = '' } = words ?? {};
  const isCall = call !== undefined && file.kind === 'file';
  return {
    kind: 'file',
    path,
    exactPath: file.path,
    status: file.change,
    sign,
    about,
    ...(file.bytes === undefined ? {} : { bytes: file.bytes }),
    ...(file.lines === undefined ? {} : { lines: file.lines }),
    runsLater: file.runsLater === true,
    isCall,
    read: isCall ? call.read : () => textOf(file),
  };
}

/** The words of the card for each file, without diffs: those are read one by one. */
function textsOf({ effect, prediction }: Shown): readonly EffectFile[] {
  const words = effectText({
    ...(prediction === undefined ? {} : { prediction: withoutDiffs(prediction) }),
    ...(effect === undefined ? {} : { effect: withoutDiffs(effect) }),
  });
  return words?.files ?? [];
}

export function withoutDiffs<T extends Pick<Effect, 'files'>>(change: T): T {
  const files = change.files.map((file) => {
    const { diff: _, ...words } = file;
    return words;
  });
  return { ...change, files };
}

const NO_TEXT = {
  removed: 'It is removed. Its old content is not part of the change.',
  moved: 'Its content stays the same.',
  'left-out': 'What was written there is not part of the change.',
  binary: 'It is not text, so no lines can be shown.',
  'too-large': 'It is too large to compare, or its old content can’t be read.',
  'no-room': 'It is not shown, because the diffs of the other files are already too long.',
  same: 'Its text stays the same.',
  other: 'It has no text to show.',
} as const;

function textOf(file: ChangedFile): ChangeText {
  const { change, kind, diff, noDiff, lines } = file;
  if (diff === undefined) {
    if (change === 'removed' || change === 'moved') return { rows: [], missing: NO_TEXT[change] };
    return { rows: [], missing: NO_TEXT[kind === 'file' ? (noDiff ?? 'other') : 'other'] };
  }
  // Without a position, it only says that the file is too long to compare.
  const rows = /^@@/m.test(diff) ? numberLines(diffLines(diff)) : [];
  const hidden = lines === undefined ? 0 : lines.added + lines.removed - rows.filter(isChanged).length;
  const missing = `${hidden.toLocaleString('en')} changed ${hidden === 1 ? 'line is' : 'lines are'} not shown, because the change is too long.`;
  return { rows, missing: hidden > 0 ? missing : rows.length === 0 ? NO_TEXT.other : '' };
}

function isChanged({ kind }: DiffRow): boolean {
  return kind === 'added' || kind === 'removed';
}

const GENERATED: ReadonlySet<string> = new Set(
  'node_modules bower_components vendor dist build out target coverage __pycache__ .venv .next .nuxt .cache .gradle'.split(
    ' ',
  ),
);
/** Fewer files are listed one by one. */
const FEW = 4;

/** Puts the files of each generated folder on one line, in the place of the first one. */
function grouped(files: readonly ChangeFile[]): ChangeEntry[] {
  const groups = new Map<string, ChangeFile[]>();
  const folders = files.map(({ path }) => generatedFolder(path));
  for (const [index, file] of files.entries()) {
    const folder = folders[index];
    if (folder !== undefined) groups.set(folder, [...(groups.get(folder) ?? []), file]);
  }
  const seen = new Set<string>();
  return files.flatMap((file, index): ChangeEntry[] => {
    const folder = folders[index] ?? '';
    const all = groups.get(folder) ?? [];
    if (all.length < FEW) return [file];
    if (seen.has(folder)) return [];
    seen.add(folder);
    return [{ kind: 'folder', path: `${folder}/`, about: countsOf(all), files: all }];
  });
}

function generatedFolder(path: string): string | undefined {
  const names = path.split('/');
  const at = names.findIndex((name) => GENERATED.has(name));
  return at < 0 ? undefined : names.slice(0, at + 1).join('/');
}

const STATUSES = ['removed', 'changed', 'moved', 'added', 'left-out'] as const;

/** `2 removed, 4,812 added` */
function countsOf(files: readonly ChangeFile[]): string {
  return STATUSES.flatMap((status) => {
    const { length } = files.filter((file) => file.status === status);
    return length === 0 ? [] : [`${length.toLocaleString('en')} ${status === 'left-out' ? 'not applied' : status}`];
  }).join(', ');
}

function ignoredFolders(run: RunEffect | undefined): ChangeFolder[] {
  return (run?.notApplied ?? []).map(({ path, files, hint }): ChangeFolder => {
    const count = `${files.toLocaleString('en')} ignored ${files === 1 ? 'file' : 'files'}, not applied`;
    const about = hint === undefined ? count : `${count}; ${oneLine(hint)} makes ${files === 1 ? 'it' : 'them'} again`;
    return { kind: 'folder', path: oneLine(path), about, files: [] };
  });
}

/** Masking can make two paths look alike. */
function withOwnPaths(entries: readonly ChangeEntry[]): ChangeEntry[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const count = (seen.get(entry.path) ?? 0) + 1;
    seen.set(entry.path, count);
    return count === 1 ? entry : { ...entry, path: `${entry.path} (${count})` };
  });
}
