import { agentColour, agentInitials } from '@countersign/client';

/** Hues that can't be taken for the red of a denial, the green of a signature or the amber of waiting. */
const HUES = [265, 205, 310, 185, 285, 340, 230, 360] as const;

export interface AgentLook {
  initials: string;
  hue: number;
}

/** One agent looks the same wherever it appears: both come from its id, and the letters from its name while it has one. */
export function agentLook(id: string, name = id): AgentLook {
  return { initials: agentInitials(name), hue: HUES[agentColour(id)] ?? HUES[0] };
}
