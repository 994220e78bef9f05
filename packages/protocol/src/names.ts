import { z } from 'zod';

/** Names nobody may take: each already means somebody else in a conversation, or on the screens that show it (A22). */
export const RESERVED_NAMES = ['human', 'user', 'world', 'system', 'you', 'notice'] as const;

/** Letters, digits, space, `-` and `_`, starting and ending with a letter or digit, so that a mention of it has one reading. */
const NAME_PATTERN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} _-]*[\p{L}\p{M}\p{N}])?$/u;

/** A name of an agent or a world. Refuses reserved names in any case: `@Human` must never reach an agent. */
export const nameSchema = z
  .string()
  .min(1, 'a name must not be empty')
  .max(64, 'a name has at most 64 characters')
  .regex(NAME_PATTERN, 'a name is made of letters, digits, space, - and _, and starts and ends with a letter or digit')
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
