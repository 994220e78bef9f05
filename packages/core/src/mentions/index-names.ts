import type { Addressable } from './addressable.js';

export type Target = { kind: 'human' } | { kind: 'agent'; agentId: string };

/** Every name and id that can be mentioned, folded, with the beginnings that are worth reading on from. */
export interface NameIndex {
  targets: ReadonlyMap<string, Target>;
  beginnings: ReadonlySet<string>;
}

/** A word, white space within a line, or any other single character. */
const PIECE = /[\p{L}\p{M}\p{N}]+|[^\S\n\r]+|[^]/gu;
/** What is folded by its case alone; nearly every word that is ever looked up. */
const PLAIN = /^[\w-]+(?: [\w-]+)*$/;

/**
 * Two spellings of a name are one if they fold to the same text. Without NFKC a name typed on another
 * system (`é` in one or in two characters) would not be found; `ς` and `σ` are one letter in two places.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return name.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll(/\s+/g, ' ').trim();
}

/**
 * `human` comes first, then names, then ids: no agent can take what belongs to people, and every agent stays
 * reachable by the name that people see even where another agent's id looks the same.
 */
export function indexNames(agents: readonly Addressable[]): NameIndex {
  const known = indexes.get(agents);
  if (known !== undefined) return known;
  const index = makeIndex(agents);
  indexes.set(agents, index);
  return index;
}

/** By the list itself, which nobody may change: the agents of a world are asked for with every message. */
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
