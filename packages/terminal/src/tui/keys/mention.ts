import type { Field } from './field.js';

/** An `@` that is being typed, and where it would be completed. */
export interface Mention {
  readonly from: number;
  readonly typed: string;
}

/** Only at the start of a paragraph does an `@` address anybody (M3); elsewhere a completion would promise an answer that nobody gives. */
export function mentionAt({ text, cursor }: Field): Mention | undefined {
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  const match = /^(\s*(?:@[^@\n]*?[,\s]+)*)@([\p{L}\p{N} _-]{0,64})$/u.exec(text.slice(start, cursor));
  if (match === null) return undefined;
  return { from: start + (match[1]?.length ?? 0), typed: match[2] ?? '' };
}

export function completed({ text, cursor }: Field, { from }: Mention, name: string): Field {
  const added = `@${name} `;
  return { text: text.slice(0, from) + added + text.slice(cursor).replace(/^ /, ''), cursor: from + added.length };
}

/** Who could be meant. None once the name stands there whole. */
export function matching<T extends { readonly name: string; readonly id: string }>(
  agents: readonly T[],
  typed: string,
): readonly T[] {
  const wanted = typed.trimStart().toLowerCase();
  return agents.filter(({ name, id }) => name.toLowerCase().startsWith(wanted) || id.toLowerCase().startsWith(wanted));
}
