import { normalizeText } from '../text/normalize-text.js';
import type { Addressable } from './addressable.js';

export type Target = { kind: 'human' } | { kind: 'agent'; agentId: string };

/** All names and ids that can be mentioned, normalized, with all their prefixes. */
export interface NameIndex {
  targets: ReadonlyMap<string, Target>;
  beginnings: ReadonlySet<string>;
}

/** A word, whitespace within a line, or any other single character. */
const PIECE = /[\p{L}\p{M}\p{N}]+|[^\S\n\r]+|[^]/gu;
/** Words that only need lower-casing: nearly all of them. */
const PLAIN = /^[\w-]+(?: [\w-]+)*$/;

/**
 * Normalizes a name, so that different spellings match. Without NFKC, a name from another system (`é` as one or two characters) would not be
 * found; `ς` and `σ` are the same letter.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return normalizeText(name, 'NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll(/\s+/g, ' ').trim();
}

/**
 * `human` takes precedence, then names, then ids: no agent can take the name `human`, and every agent stays reachable by its visible name even if
 * it equals another agent's id.
 */
export function indexNames(agents: readonly Addressable[]): NameIndex {
  const known = indexes.get(agents);
  if (known !== undefined) return known;
  const index = makeIndex(agents);
  indexes.set(agents, index);
  return index;
}

/** Every message needs the index, so it is cached per list of agents. The list must not be mutated. */
const indexes = new WeakMap<readonly Addressable[], NameIndex>();

function makeIndex(agents: readonly Addressable[]): NameIndex {
  const targets = new Map<string, Target>();
  const beginnings = new Set<string>();
  const add = (text: string, target: Target): void => {
    const name = foldName(text);
    if (name === '' || targets.has(name)) return;
    targets.set(name, target);
    const written = text.trim();
    for (const piece of written.matchAll(PIECE))
      beginnings.add(foldName(written.slice(0, piece.index + piece[0].length)));
  };
  add('human', { kind: 'human' });
  const owned = agents.map(({ id, name }) => ({ id, name, target: { kind: 'agent', agentId: id } as const }));
  for (const { name, target } of owned) add(name, target);
  for (const { id, target } of owned) add(id, target);
  return { targets, beginnings };
}
