/** Hues that can't be taken for the red of a denial, the green of a signature or the amber of waiting. */
const HUES = [265, 205, 310, 185, 285, 340, 230, 360] as const;

export interface AgentLook {
  initials: string;
  hue: number;
}

/** One agent looks the same wherever it appears: both come from its id, and the letters from its name while it has one. */
export function agentLook(id: string, name = id): AgentLook {
  let hash = 2166136261;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return { initials: initialsOf(name), hue: HUES[(hash >>> 8) % HUES.length] ?? HUES[0] };
}

function initialsOf(name: string): string {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 63))
    .join('')
    .toUpperCase();
}
