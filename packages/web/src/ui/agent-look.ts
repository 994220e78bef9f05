import { agentColour, agentInitials } from '@countersign/client';

/** Hues that can't be confused with the red of a denial, the green of an approval or the amber of waiting. */
const HUES = [265, 205, 310, 185, 285, 340, 230, 360] as const;

export interface AgentLook {
  initials: string;
  hue: number;
}

/** An agent looks the same everywhere: its colour is derived from its id, and its initials from its name if it has one. */
export function agentLook(id: string, name = id): AgentLook {
  return { initials: agentInitials(name), hue: HUES[agentColour(id)] ?? HUES[0] };
}
