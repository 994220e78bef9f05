import {
  describeEffect,
  describeNoEffect,
  describePrediction,
  type ChangedFile,
  type Effect,
  type Prediction,
} from '@countersign/protocol';
import type { ApprovalView } from '../../state/state.js';
import { isFileTool } from './card-text.js';
import { diffLines, linesText, type DiffLine } from './diff-lines.js';
import { oneLine, runText, type RunText } from './run-text.js';

/** One path that the call changes. Removed ones come first. */
export interface EffectFile {
  readonly change: ChangedFile['change'];
  readonly sign: string;
  readonly path: string;
  /** What else changes, such as `from old.txt` or `executable (0755)`. Empty if nothing. */
  readonly about: string;
  readonly diff: readonly DiffLine[];
}

/** What a call will do, for people. */
export interface EffectText {
  /** If the effect is unknown, the reason, and everything else is empty. */
  readonly sentence: string;
  readonly isKnown: boolean;
  readonly isDestructive: boolean;
  readonly files: readonly EffectFile[];
  /** What else they should know, destructive or surprising parts first. */
  readonly notes: readonly string[];
  /** What is only a guess. Empty if nothing is. */
  readonly guess: string;
  readonly output: string;
  /** False for a file tool: its effect is known without a rehearsal. */
  readonly isRehearsed: boolean;
  readonly isTruncated: boolean;
  /** Set if this is only predicted: why it may happen in another way. */
  readonly prediction?: string;
  /** Set if the command tried to use the network, which it didn't have: what approving it means. */
  readonly withoutNetwork?: string;
  /** Set for the changes of a run. */
  readonly run?: RunText;
}

const NOTHING = {
  isKnown: false,
  isDestructive: false,
  files: [],
  notes: [],
  guess: '',
  output: '',
  isRehearsed: false,
  isTruncated: false,
} as const;

const SIGNS: Readonly<Record<ChangedFile['change'], string>> = { removed: '−', changed: '~', moved: '→', added: '+' };

const GUESSED_MOVES = 'A new file with the content of a removed one counts as moved.';

const TYPES: Readonly<Record<NonNullable<ChangedFile['mediaType']>, string>> = {
  'image/png': 'PNG image',
  'image/jpeg': 'JPEG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'application/pdf': 'PDF document',
  'application/zip': 'ZIP archive',
  'application/gzip': 'gzip archive',
  'application/x-xz': 'xz archive',
  'application/zstd': 'Zstandard archive',
  'application/x-tar': 'tar archive',
  'application/x-elf': 'Linux program',
  'application/vnd.sqlite3': 'SQLite database',
  'application/wasm': 'WebAssembly program',
};

/** Undefined if nothing says what the call will do. `toolName` is that of a call whose own lines are shown too. */
export function effectText(
  shown: Pick<ApprovalView, 'effect' | 'noEffect' | 'prediction'> & Partial<Pick<ApprovalView, 'toolName' | 'sandbox'>>,
): EffectText | undefined {
  const { effect, prediction, noEffect, toolName, sandbox } = shown;
  if (prediction !== undefined) return predictionText(prediction, sandbox?.detail ?? 'The program');
  if (effect === undefined) {
    if (noEffect === undefined) return undefined;
    const sentence = `It is unknown what this will change. ${describeNoEffect(noEffect)}`;
    return { ...NOTHING, sentence };
  }
  const { leftOut, exitCode, output, unlisted, triedHosts } = effect;
  const run = effect.run === undefined ? undefined : runText(effect.run);
  // The lines that a file tool writes are shown as the call, to their end.
  const isRehearsed = toolName === undefined || !isFileTool(toolName);
  const isTruncated = effect.truncated && isRehearsed;
  return {
    sentence: describeEffect(effect),
    isKnown: true,
    ...filesText(effect, isRehearsed),
    notes: [
      ...(triedHosts === undefined ? [] : [triedText(triedHosts)]),
      ...(exitCode === 0 || run !== undefined ? [] : [exitText(exitCode, triedHosts !== undefined)]),
      ...(run?.notes ?? []),
      ...leftOut.map(({ path, why }) => `Will not be applied: ${oneLine(path)} (${why})`),
      ...(unlisted === undefined ? [] : [`${unlisted} more paths are not listed.`]),
      ...(isTruncated ? ['Not all of it is shown. Approving covers all of it.'] : []),
    ],
    output,
    isRehearsed,
    isTruncated,
    ...(triedHosts === undefined ? {} : { withoutNetwork: WITHOUT_NETWORK }),
    ...(run === undefined ? {} : { run }),
  };
}

/** The changed paths, for a row of a list: `−3 ~1 files`. Undefined if nothing says what the call will do. */
export function effectBrief({ effect, prediction }: Pick<ApprovalView, 'effect' | 'prediction'>): string | undefined {
  const shown = effect ?? prediction;
  if (shown === undefined) return undefined;
  const { files, unlisted = 0 } = shown;
  const parts = (['removed', 'changed', 'moved', 'added'] as const).flatMap((change) => {
    const count = files.filter((file) => file.change === change).length;
    return count === 0 ? [] : [`${SIGNS[change]}${count}`];
  });
  const noun = files.length + unlisted === 1 ? 'file' : 'files';
  const counted = [...parts, ...(unlisted === 0 ? [] : [`and ${unlisted} more`]), noun].join(' ');
  return `${effect === undefined ? 'probably ' : ''}${parts.length === 0 ? 'changes no files' : counted}`;
}

const WITHOUT_NETWORK =
  'Rehearsed without network. Approving applies only this, and the command doesn’t run again. To let it use the network, allow the host instead.';

function triedText(hosts: readonly string[]): string {
  return `The sandbox has no network, and the command tried to reach ${hosts.map(oneLine).join(', ')}.`;
}

function exitText(exitCode: number, isOffline: boolean): string {
  return isOffline
    ? `Without network, it ends with exit code ${exitCode}.`
    : `The command fails with exit code ${exitCode}.`;
}

/** Nobody applies a prediction, so nothing is left out of it, and no draft is kept that could show more (CHANGE9). */
function predictionText(prediction: Prediction, program: string): EffectText {
  const { leftOut, exitCode, output, unlisted, hidden, truncated, triedHosts, ofFiles } = prediction;
  const foot = ofFiles === true ? fileText(program) : rehearsedText(program);
  return {
    sentence: describePrediction(prediction),
    isKnown: true,
    // The lines that an edit writes are shown as the call, to their end.
    ...filesText(prediction, ofFiles !== true),
    notes: [
      ...(triedHosts === undefined
        ? []
        : [`The rehearsal had no network, and it tried to reach ${triedHosts.map(oneLine).join(', ')}.`]),
      ...(exitCode === 0 ? [] : [`The command failed with exit code ${exitCode} when it was rehearsed.`]),
      ...(hidden === undefined ? [] : [hiddenText(hidden, program)]),
      ...leftOut.map(({ path }) => `Also changes ${oneLine(path)}`),
      ...(unlisted === undefined ? [] : [`${unlisted} more paths are not listed.`]),
      ...(truncated && unlisted === undefined && ofFiles !== true ? ['Not all of it is shown.'] : []),
    ],
    output,
    isRehearsed: true,
    isTruncated: false,
    prediction: `Predicted, not guaranteed: ${foot}`,
  };
}

function rehearsedText(program: string): string {
  return `the command was rehearsed in a draft without network. ${program} runs this itself, so the effect may differ.`;
}

function fileText(program: string): string {
  return `computed from the file as it is now. ${program} writes it itself. If the file changes before that, the call needs approval again.`;
}

function hiddenText(count: number, program: string): string {
  const [paths, them] = count === 1 ? ['1 path', 'it'] : [`${count} paths`, 'them'];
  return `Rules hid ${paths} from the rehearsal, but not from ${program}, which may read or change ${them}.`;
}

function filesText(
  { files }: Pick<Effect, 'files'>,
  withDiffs: boolean,
): Pick<EffectText, 'isDestructive' | 'files' | 'guess'> {
  return {
    isDestructive: files.some(({ change }) => change === 'removed'),
    guess: files.some(({ change }) => change === 'moved') ? GUESSED_MOVES : '',
    files: files.map((file) => ({
      change: file.change,
      sign: SIGNS[file.change],
      path: oneLine(file.path),
      about: aboutFile(file),
      diff: file.diff === undefined || !withDiffs ? [] : diffLines(file.diff),
    })),
  };
}

function aboutFile(file: ChangedFile): string {
  const { isNew, change, from, kind, mode, owner, bytes, target, diff, lines, mediaType, contains } = file;
  const bits = mode === undefined ? 0 : Number.parseInt(mode, 8);
  const isExecutable = (bits & 0o111) !== 0;
  const isOpenToAll = (bits & 0o002) !== 0;
  // For a new file or folder, the usual permissions say nothing.
  const isUsual = change === 'added' && (kind === 'folder' ? mode === '0755' : !isExecutable && !isOpenToAll);
  return [
    isNew === true ? 'new since the last question' : '',
    from === undefined ? '' : `from ${oneLine(from)}`,
    kind === 'file' ? '' : kind,
    contains === undefined ? '' : `with ${contains} ${contains === 1 ? 'file' : 'files'}`,
    target === undefined ? '' : `to ${oneLine(target)}`,
    mode === undefined || isUsual
      ? ''
      : kind === 'file' && isExecutable
        ? `executable (${mode})`
        : `permissions ${mode}`,
    owner === undefined ? '' : `owner becomes ${owner}`,
    mediaType === undefined ? '' : TYPES[mediaType],
    change === 'changed' && lines !== undefined ? linesText(lines) : '',
    bytes === undefined || diff !== undefined ? '' : `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
    .replace('folder, with', 'folder with')
    .replace('link, to', 'link to');
}
