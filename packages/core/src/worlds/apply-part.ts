import { z } from 'zod';

/** A partial definition. Null removes an optional field. */
export type PartOf<T> = { [K in keyof T]?: T[K] | (undefined extends T[K] ? null : never) };

/** Applies a partial change. A null for a required field is left for the schema to reject. */
export function applyPart(
  shape: Readonly<Record<string, unknown>>,
  before: object,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...before, ...change };
  for (const [field, value] of Object.entries(change)) {
    if (value === null && shape[field] instanceof z.ZodExactOptional) delete merged[field];
  }
  return merged;
}
