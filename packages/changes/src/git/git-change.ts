import { z } from 'zod';
import type { RunCommit, RunRef } from '@countersign/protocol';
import { LEFT_OUT_REASONS } from '../inspect/left-out.js';
import { oidSchema } from './refs.js';

/** Why a ref that differs in the draft is listed, but never applied. */
const WHY_STAYS = [
  ...LEFT_OUT_REASONS,
  /** Neither a branch nor a tag, or a symbolic ref. */
  'other-ref',
  /** Not a commit. */
  'no-commit',
  /** Another working tree has checked it out. */
  'checked-out',
  /** Only one branch gets the commits. */
  'branch-mode',
  /** The draft's repository can't be read. */
  'unreadable',
] as const;

const movedRefSchema = z.strictObject({
  name: z.string(),
  /** Absent: it must not exist. */
  from: oidSchema.exactOptional(),
  /** Absent: it is deleted. */
  to: oidSchema.exactOptional(),
});
export type MovedRef = z.infer<typeof movedRefSchema>;

const stayingRefSchema = z.strictObject({
  name: z.string(),
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  why: z.enum(WHY_STAYS),
  /** Some of the paths that are the reason. */
  paths: z.array(z.string()).exactOptional(),
});
export type StayingRef = z.infer<typeof stayingRefSchema>;

const commitSchema = z.strictObject({
  id: oidSchema,
  author: z.string(),
  message: z.string(),
  files: z.number().int(),
});

const pathsSchema = z.strictObject({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});
export type TreePaths = z.infer<typeof pathsSchema>;

export const NO_TREE_PATHS: TreePaths = { added: [], changed: [], removed: [] };

/** What a run does to the repository of its folder, beside the files. Its new objects are in `git.pack`, beside the record. */
export const gitChangeSchema = z.strictObject({
  refs: z.array(movedRefSchema).readonly(),
  stays: z.array(stayingRefSchema).readonly(),
  /** The refs that are new, or that only gained commits of the run. A rule can name these. */
  nameable: z.array(z.string()).readonly().exactOptional(),
  /** Oldest first. Only those that a moved ref reaches. */
  commits: z.array(commitSchema).readonly(),
  /** The paths that a moved ref or a new commit changes, for rules about effects. */
  paths: pathsSchema,
  /** SHA-256 of the pack. Absent if no object is new. */
  pack: z.string().exactOptional(),
  /** Set if all changes are commits on this branch, and the working tree stays as it is. */
  branch: z.string().exactOptional(),
});
export type GitChange = z.infer<typeof gitChangeSchema>;

export function isEmptyGitChange({ refs }: GitChange): boolean {
  return refs.length === 0;
}

/** What the signature covers. Each object id stands for everything that it reaches. */
export function signedParts({ refs, stays, pack = '', branch = '' }: GitChange): unknown[] {
  return [
    'git',
    refs.map(({ name, from = '', to = '' }) => [name, from, to]),
    stays.map(({ name, from = '', to = '', why }) => [name, from, to, why]),
    pack,
    branch,
  ];
}

/** At most this many of each are listed, and a note says how many are not. The signature covers all of them. */
const MOST_SHOWN = 500;
const LONGEST_MESSAGE = 4_000;

/** The commits and refs of a run for its card. */
export function describeGitChange({ refs, stays, commits, branch }: GitChange): {
  commits: RunCommit[];
  refs: RunRef[];
  unlisted: number;
  branch?: string;
} {
  const shown = (text: string): string => text.slice(0, LONGEST_MESSAGE);
  return {
    commits: commits.slice(0, MOST_SHOWN).map(({ id, author, message, files }) => ({
      id,
      subject: shown(message.split('\n', 1)[0] ?? ''),
      message: shown(message),
      author: shown(author),
      files,
    })),
    refs: [
      ...refs.slice(0, MOST_SHOWN).map((ref): RunRef => ({ ...ref, how: howOf(ref) })),
      ...stays.slice(0, MOST_SHOWN).map(({ name, from, to, why, paths }): RunRef => ({
        name,
        how: 'stays',
        why,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(paths === undefined ? {} : { paths }),
      })),
    ],
    unlisted: [commits, refs, stays].reduce((sum, { length }) => sum + Math.max(0, length - MOST_SHOWN), 0),
    ...(branch === undefined ? {} : { branch }),
  };
}

function howOf({ from, to }: MovedRef): RunRef['how'] {
  if (to === undefined) return 'deleted';
  return from === undefined ? 'new' : 'moves';
}
