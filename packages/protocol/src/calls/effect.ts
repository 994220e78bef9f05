import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { runEffectSchema } from '../runs/run-effect.js';

const mediaTypeSchema = z.enum([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/x-xz',
  'application/zstd',
  'application/x-tar',
  'application/x-elf',
  'application/vnd.sqlite3',
  'application/wasm',
]);

const runsLater = field(
  z.literal(true).exactOptional(),
  'Set if programs outside the sandbox run this path by themselves, such as a Git hook or an editor task.',
);

/** One path that a call adds, changes, removes or moves. Text is masked. */
export const changedFileSchema = z.object({
  path: text('Relative to the working folder, with `/` between names.'),
  change: field(
    z.enum(['added', 'changed', 'removed', 'moved']),
    'added, changed, removed or moved. moved is a guess from equal content.',
  ),
  from: text('Where a moved file was before.').exactOptional(),
  kind: field(z.enum(['file', 'folder', 'link']), 'What is there afterwards; for a removed path, what was there.'),
  mode: text('Permissions afterwards, such as 0755. Absent if they stay as they are.').exactOptional(),
  owner: text(
    'Owner and group afterwards, such as `0:0`, if a file of another owner or group is replaced.',
  ).exactOptional(),
  bytes: field(z.number().int().min(0).exactOptional(), 'Size afterwards, or before for a removed file.'),
  target: text('Where the link points.').exactOptional(),
  diff: text('Change to a text file in `diff -u` format.').exactOptional(),
  isNew: field(
    z.literal(true).exactOptional(),
    'Set if the last question about this call didn’t show this change, or showed another one.',
  ),
  lines: field(
    z
      .object({
        added: field(z.number().int().min(0), 'Added lines.'),
        removed: field(z.number().int().min(0), 'Removed lines.'),
      })
      .exactOptional(),
    'How many lines of text the whole change adds and removes. A file that is too long to compare counts as replaced.',
  ),
  mediaType: field(mediaTypeSchema.exactOptional(), 'Type of an added or changed binary file, by its first bytes.'),
  contains: field(z.number().int().min(0).exactOptional(), 'Number of files and links in a removed folder.'),
  runsLater: runsLater.clone(),
  noDiff: field(
    z.enum(['binary', 'too-large', 'no-room', 'same']).exactOptional(),
    'Why an added or changed file has no diff: it is binary, it is too large to compare or can’t be read, diffs of other files came first, or its text stays the same.',
  ),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

/** A change that the call made but that will not be applied, with the reason as a sentence. */
export const leftOutFileSchema = z.object({
  path: text('Path, relative to the working folder.'),
  why: text('Why the change will not be applied.'),
  runsLater: runsLater.clone(),
});

/** What a call will do to the working folder, found by a rehearsal or known by a file tool. A yes applies exactly this. */
export const effectSchema = z.object({
  files: field(z.array(changedFileSchema), 'Changed paths, removed ones first.'),
  leftOut: field(
    z.array(leftOutFileSchema),
    'Changes that will not be applied. A program that runs the call itself may still make them.',
  ),
  /** SHA-256 of the complete effect in canonical form, in hex. The approval covers it, including the parts that aren't shown. */
  effectHash: text('SHA-256 of the complete effect, in hex.'),
  exitCode: field(z.number().int(), 'Exit code of the command.'),
  output: text('What the command printed. Models get it only if the call is approved.'),
  truncated: field(z.boolean(), 'Set if `files`, a `diff` or `output` was cut for display.'),
  unlisted: field(z.number().int().min(1).exactOptional(), 'Number of changed paths that are not in files.'),
  triedHosts: field(
    z.array(z.string()).min(1).exactOptional(),
    'Hosts that the command tried to reach. A rehearsal has no network.',
  ),
  run: field(runEffectSchema.clone().exactOptional(), 'Set for the changes of a run: what else it did.'),
});
api.add(effectSchema, {
  description:
    'What the call will do. An approval applies exactly this. Found by a rehearsal, except for write_file and edit_file.',
});
/** What a call will do to the working folder. */
export type Effect = z.infer<typeof effectSchema>;

/** What a command did in a rehearsal, or what an edit would write, if another program runs it itself (CHANGE9). It has no hash, because nobody signs or applies it. */
export const predictionSchema = effectSchema.omit({ effectHash: true, run: true }).extend({
  hidden: field(
    z.number().int().min(1).exactOptional(),
    'Number of paths that rules hid from the rehearsal. The program may use them.',
  ),
  ofFiles: field(
    z.literal(true).exactOptional(),
    'Set if nothing was rehearsed: the change was computed from the arguments and the files as they are. The approval covers the content of these files.',
  ),
});
api.add(predictionSchema, {
  description:
    'What the call did in a rehearsal, or would write to the files as they are, if another program runs it itself. That program may do something else; no signature covers this.',
});
/** What a call that another program runs itself will probably do. Never an `Effect`. */
export type Prediction = z.infer<typeof predictionSchema>;

/** The effect of a waiting call with much higher limits than on its card. */
export const wholeEffectSchema = z.object({ effect: effectSchema });
api.add(wholeEffectSchema, { id: 'WholeEffect' });

/**
 * Why there is no effect to show. `off`: the world doesn't rehearse. `no-sandbox`: nothing can guarantee that a rehearsal changes nothing.
 * `folder-too-large`: the working folder would have to be copied. `network`: the call may reach the network. `other-folder`: another program runs it outside the world's folder. `too-long`, `too-large`: it exceeded the limits of a rehearsal. `conflict`: somebody else changed
 * the same files in the meantime. `busy`: too many others were rehearsed. `dropped`: it waited too long, and its disk space was needed. `failed`: the rehearsal could not be done.
 * For an edit by another program (CHANGE9.7): `hidden`: rules hide the file. `unreadable`: it can't be read or compared. `unclear`: the arguments don't
 * say what is written. The others say why they don't apply to the file as it is.
 */
export const noEffectReasonSchema = z.enum([
  'off',
  'no-sandbox',
  'folder-too-large',
  'network',
  'other-folder',
  'too-long',
  'too-large',
  'conflict',
  'busy',
  'dropped',
  'failed',
  'hidden',
  'unreadable',
  'unclear',
  'no-file',
  'no-match',
  'several-matches',
  'does-not-apply',
]);
export type NoEffectReason = z.infer<typeof noEffectReasonSchema>;

export const noEffectSchema = z.object({
  reason: field(
    noEffectReasonSchema.clone(),
    'off, no-sandbox, folder-too-large, network, other-folder, too-long, too-large, conflict, dropped or failed; for an edit by another program also hidden, unreadable, unclear, no-file, no-match, several-matches or does-not-apply.',
  ),
});
api.add(noEffectSchema, { description: 'Why a call that could be rehearsed or predicted has no effect to show.' });
/** Why it is unknown what a call will do. */
export type NoEffect = z.infer<typeof noEffectSchema>;

const WHY: Readonly<Record<NoEffectReason, string>> = {
  off: "This world doesn't rehearse commands.",
  'no-sandbox': 'Commands run without a sandbox that could rehearse them.',
  'folder-too-large':
    "The working folder is too large to copy for a rehearsal, and this system can't mount an overlay.",
  network: 'It may use the network, so it can only run once, after approval.',
  'other-folder': "Effects are only predicted in the world's folder.",
  'too-long': 'The rehearsal took too long and was stopped.',
  'too-large': 'The rehearsal wrote too much or used too many resources, so it was stopped.',
  conflict: 'Somebody else changed the same files during the rehearsal.',
  busy: 'Too many other commands were being rehearsed, so this one was not.',
  dropped: 'The rehearsal waited so long that its disk space was needed.',
  failed: "The command couldn't be rehearsed.",
  hidden: 'Rules hide this file.',
  unreadable: "The file is too large, a link, not text, or can't be read.",
  unclear: "The arguments don't say clearly what will be written.",
  'no-file': "The file doesn't exist.",
  'no-match': "The file doesn't contain the text to replace.",
  'several-matches': 'The file contains the text to replace more than once.',
  'does-not-apply': "The arguments don't apply to the file as it is now.",
};

const INAPPLICABLE: readonly NoEffectReason[] = ['no-file', 'no-match', 'several-matches', 'does-not-apply'];

/** Whether an edit can't be shown as a change, because its arguments don't apply to the file as it is. */
export function isInapplicable(noEffect: NoEffect | undefined): boolean {
  return noEffect !== undefined && INAPPLICABLE.includes(noEffect.reason);
}

/** Explains why there is no effect, as a sentence for people. */
export function describeNoEffect({ reason }: NoEffect): string {
  return WHY[reason];
}

/** What a program that runs the call itself will probably do: "Probably removes 2 files". */
export function describePrediction(prediction: Pick<Prediction, 'files' | 'unlisted'>): string {
  const sentence = describeEffect(prediction);
  return `Probably ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** The effect in one sentence, destructive parts first: "Removes 2 files, changes 1 file". */
export function describeEffect({ files, unlisted = 0 }: Pick<Effect, 'files' | 'unlisted'>): string {
  const parts = VERBS.flatMap(([change, verb]) => {
    const those = files.filter((file) => file.change === change);
    return those.length === 0 ? [] : [`${verb} ${count(those)}`];
  });
  if (parts.length === 0) return 'Changes no files';
  const [first = '', ...rest] = unlisted === 0 ? parts : [...parts, `and ${unlisted} more`];
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(', ');
}

const VERBS = [
  ['removed', 'removes'],
  ['changed', 'changes'],
  ['moved', 'moves'],
  ['added', 'adds'],
] as const;

function count(files: readonly ChangedFile[]): string {
  const words = (['file', 'link', 'folder'] as const).flatMap((kind) => {
    const of = files.filter((file) => file.kind === kind);
    if (of.length === 0) return [];
    const inside = of.reduce((total, { contains = 0 }) => total + contains, 0);
    const noun = `${of.length} ${kind}${of.length === 1 ? '' : 's'}`;
    return [inside === 0 ? noun : `${noun} with ${inside} ${inside === 1 ? 'file' : 'files'}`];
  });
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
