import { z } from 'zod';

/** Reserved names. Each already has a meaning in conversations or on screens (CALL17). */
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

/**
 * A valid name from the last part of a path: `/src/my.app/` → `my app`. Empty if nothing is left of it. A reserved name gets the suffix:
 * `world` → `world project`.
 */
export function nameFrom(path: string, suffix: string): string {
  const last =
    path
      .trim()
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const name = last
    .replaceAll(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 64)
    // The truncation can also leave half of a surrogate pair.
    .replace(/[^\p{L}\p{M}\p{N}]+$/u, '');
  return isReservedName(name) ? `${name} ${suffix}` : name;
}

/** Appends a number if the name is taken, regardless of case: `OpenAI` → `OpenAI 2`. */
export function freeName(
  name: string,
  taken: readonly string[],
  { separator = ' ', longest = 64 }: { separator?: string; longest?: number } = {},
): string {
  const used = new Set(taken.map((each) => each.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `${separator}${number}`;
    const free = `${name.slice(0, longest - suffix.length)}${suffix}`;
    if (!used.has(free.toLowerCase())) return free;
  }
}
