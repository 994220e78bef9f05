import { z } from 'zod';

/** Reserved names. Each already has a meaning in conversations or on screens (A22). */
export const RESERVED_NAMES = ['human', 'user', 'world', 'system', 'you', 'notice'] as const;

/** Letters, digits, space, `-` and `_`. Names must start and end with a letter or digit, so that mentions are unambiguous. */
const NAME_PATTERN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} _-]*[\p{L}\p{M}\p{N}])?$/u;

/** The name of an agent or world. Rejects reserved names regardless of case: `@Human` must never reach an agent. */
export const nameSchema = z
  .string()
  .min(1, 'a name must not be empty')
  .max(64, 'a name can have at most 64 characters')
  .regex(
    NAME_PATTERN,
    'a name can contain only letters, digits, spaces, - and _, and must start and end with a letter or digit',
  )
  .refine((name) => !isReservedName(name), 'this name is reserved');

export function isReservedName(name: string): boolean {
  const folded = name.normalize('NFKC').toLowerCase();
  return RESERVED_NAMES.some((reserved) => reserved === folded);
}

/** `Harbour Crew` → `harbour-crew`. Never empty: a name without a sluggable character becomes `fallback`. */
export function slug(name: string, fallback = 'unnamed'): string {
  const cut = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return cut === '' ? fallback : cut;
}
