import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The state of a file or symlink: any write, rename or change of its mode changes this text. */
const versionSchema = z.string();

const folderIdSchema = z.strictObject({ dev: z.string(), ino: z.string(), mode: z.number().int() });

const stepSchema = z.intersection(
  z.object({
    /** The position in the plan. The old content is kept under this number until the plan is applied. */
    id: z.number().int(),
    /** The name in its folder. */
    name: z.string(),
  }),
  z.discriminatedUnion('kind', [
    /** Nothing exists there, or the step before removed it. Takes a whole folder at once. */
    z.object({ kind: z.literal('add') }),
    z.object({ kind: z.literal('replace'), was: versionSchema }),
    /** A file or symlink, or a folder with everything in it. */
    z.object({ kind: z.literal('remove'), was: z.array(z.tuple([z.string(), versionSchema])) }),
  ]),
);

/** One change in a folder. */
export type Step = z.infer<typeof stepSchema>;

/** The changes in a folder that exists before and after. Inner folders come first. */
export interface FolderPlan {
  /** Relative to the working folder; empty for the folder itself. */
  readonly path: string;
  readonly was: z.infer<typeof folderIdSchema>;
  /** The mode that it gets at the end. */
  readonly mode: number;
  readonly inner: FolderPlan[];
  readonly steps: Step[];
}

/** Everything that a draft changes in the working folder. */
export const planSchema: z.ZodType<FolderPlan> = z.strictObject({
  path: z.string(),
  was: folderIdSchema,
  mode: z.number().int(),
  inner: z.array(z.lazy(() => planSchema)),
  steps: z.array(stepSchema),
});

export function versionOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(' ');
}

/** Whether two versions differ in nothing but the change time, which a rename or another name of the file updates. */
export function isSameButChangeTime(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split(' ').slice(0, 5).join(' '));
  return a === b;
}

/** Without the times, because they change with every entry of the folder. */
export function folderIdOf({ dev, ino, mode }: BigIntStats): FolderPlan['was'] {
  return { dev: String(dev), ino: String(ino), mode: Number(mode) & 0o7777 };
}

/** The version of an entry inside a folder that is removed as a whole. */
export function removedVersionOf(stats: BigIntStats): string {
  if (!stats.isDirectory()) return versionOf(stats);
  const { dev, ino, mode } = folderIdOf(stats);
  return [dev, ino, mode].join(' ');
}

export function isEmptyPlan({ was, mode, inner, steps }: FolderPlan): boolean {
  return steps.length === 0 && mode === was.mode && inner.every(isEmptyPlan);
}

/** The paths that a plan removes or replaces by something of another kind. */
export function removedPaths({ path, inner, steps }: FolderPlan): string[] {
  const own = steps.filter(({ kind }) => kind === 'remove').map(({ name }) => join(path, name));
  return [...inner.flatMap(removedPaths), ...own];
}
