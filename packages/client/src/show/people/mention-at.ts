/** An `@` mention that is being typed, and its position. */
export interface Mention {
  from: number;
  typed: string;
}

/** The mention at the cursor. Only at the start of a paragraph (WORLD3): elsewhere, a mention addresses nobody, so no list opens. */
export function mentionAt(text: string, cursor: number): Mention | undefined {
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  const line = text.slice(start, cursor);
  const match = /^(\s*(?:@[^@\n]*?[,\s]+)*)@([\p{L}\p{N} _-]{0,64})$/u.exec(line);
  if (match === null) return undefined;
  return { from: start + (match[1]?.length ?? 0), typed: match[2] ?? '' };
}

export function complete(
  text: string,
  cursor: number,
  mention: Mention,
  name: string,
): { text: string; cursor: number } {
  const inserted = `@${name} `;
  const rest = text.slice(cursor).replace(/^ /, '');
  return { text: text.slice(0, mention.from) + inserted + rest, cursor: mention.from + inserted.length };
}

export function matching<T extends { name: string; id: string }>(agents: readonly T[], typed: string): T[] {
  const wanted = typed.trimStart().toLowerCase();
  return agents.filter(({ name, id }) => name.toLowerCase().startsWith(wanted) || id.toLowerCase().startsWith(wanted));
}
