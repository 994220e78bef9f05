import type { Timeline } from '@countersign/protocol';

/** The people who decided something in these turns, sorted by name. */
export function peopleIn(turns: readonly Pick<Timeline, 'spans'>[]): { id: string; name: string }[] {
  const found = new Map<string, string>();
  for (const { spans } of turns)
    for (const { who } of spans) if (who !== undefined && who.kind === 'person') found.set(who.id, who.name);
  return [...found].map(([id, name]) => ({ id, name })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function hasDecided({ spans }: Pick<Timeline, 'spans'>, id: string): boolean {
  return spans.some(({ who }) => who?.kind === 'person' && who.id === id);
}
