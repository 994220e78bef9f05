/** The number of agent colours; each UI has its own shades. */
export const AGENT_COLOURS = 8;

/** The colour of an agent, derived from its id: the same in the browser and the terminal. */
export function agentColour(id: string): number {
  let hash = 2166136261;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return (hash >>> 8) % AGENT_COLOURS;
}

/** One or two letters for an agent, used where its name doesn't fit. */
export function agentInitials(name: string): string {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 63))
    .join('')
    .toUpperCase();
}
