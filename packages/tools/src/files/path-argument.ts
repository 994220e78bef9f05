import { lstat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { ToolPlace } from '@countersign/core/ports';
import type { Subject } from '@countersign/protocol';
import { z } from 'zod';
import { isInside, runsLater } from '@countersign/changes';

export const pathArgument = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character')
  .refine((path) => !isTooDeep(path), 'must have at most 200 parts');

/** Each folder of a path is judged and shown with its whole path, which takes quadratic time. */
export function isTooDeep(path: string): boolean {
  return path.split('/', MAX_PARTS + 1).length > MAX_PARTS;
}

const MAX_PARTS = 200;

/** Makes a path absolute and normalized, without reading the disk. */
export function absolutePath({ workingDirectory }: ToolPlace, path: string): string {
  return resolve(workingDirectory, path);
}

export function readSubjects(path: string, place: ToolPlace): readonly Subject[] {
  return [{ kind: 'path', path: absolutePath(place, path), argument: 'path' }];
}

/**
 * If the file later runs outside the sandbox, the call is also dynamic: deny rules still match its path, but no rule or grant can allow it (RULE2).
 */
export function writeSubjects(path: string, place: ToolPlace): readonly Subject[] {
  const absolute = absolutePath(place, path);
  const name = runsLater(place.workingDirectory, absolute);
  const subject: Subject = { kind: 'path', path: absolute, argument: 'path' };
  if (name === undefined) return [subject];
  return [subject, { kind: 'dynamic', always: true, why: { code: 'runs-later', path: name } }];
}

/** Whether a write stays in the working folder and changes no file that a program runs automatically (RULE2). */
export function writesInside(path: string, place: ToolPlace): boolean {
  const absolute = absolutePath(place, path);
  return isInside(place.workingDirectory, absolute) && runsLater(place.workingDirectory, absolute) === undefined;
}

/** Like `writesInside`, for a file that may not exist yet: a new dot-file may be one that some program runs automatically (CHANGE4). */
export function createsInside(path: string, place: ToolPlace): boolean {
  const segments = relative(place.workingDirectory, absolutePath(place, path)).split(sep);
  return writesInside(path, place) && !segments.some((segment) => segment.startsWith('.'));
}

/**
 * A hard link may be another name for a file that a rule protects. Reading one needs approval if there are such rules; writing one always needs
 * approval.
 */
export async function findHardLinks(
  path: string,
  place: ToolPlace,
  use: 'read' | 'write',
): Promise<readonly Subject[]> {
  const stats = await lstat(absolutePath(place, path)).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.nlink < 2) return [];
  const why = { code: 'hard-links', count: stats.nlink } as const;
  return [{ kind: 'dynamic', why, ...(use === 'write' ? { always: true } : {}) }];
}
