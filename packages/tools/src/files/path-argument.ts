import { resolve } from 'node:path';
import type { ToolPlace } from '@countersign/core/ports';
import type { Subject } from '@countersign/protocol';
import { z } from 'zod';
import { runsLater } from '../sandbox/runs-later.js';

export const pathArgument = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character');

/** Absolute and normalised, by text alone. */
export function absolutePath({ workingDirectory }: ToolPlace, path: string): string {
  return resolve(workingDirectory, path);
}

export function readSubjects(path: string, place: ToolPlace): readonly Subject[] {
  return [{ kind: 'path', path: absolutePath(place, path) }];
}

/** A file that runs later outside is also asked each time: a deny rule still finds its path, and no rule or grant allows it unasked (A20). */
export function writeSubjects(path: string, place: ToolPlace): readonly Subject[] {
  const absolute = absolutePath(place, path);
  const name = runsLater(place.workingDirectory, absolute);
  const subject: Subject = { kind: 'path', path: absolute };
  if (name === undefined) return [subject];
  return [
    subject,
    { kind: 'dynamic', always: true, why: `what is written to ${name} may run later, outside the sandbox` },
  ];
}
