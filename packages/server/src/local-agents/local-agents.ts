import type { LocalAgent } from '@countersign/protocol';

/** A world and the agent that a gated program is there. */
interface GatePlace {
  world: string;
  agent: string;
}

/** What the hook of a gated agent needs to know. */
interface LocalGate {
  tokenId: string;
  /** Absent if the agent is gated already, with this token. */
  token?: string;
  person: string;
  usedBy?: string;
  place: GatePlace & { folder: string };
  elsewhere?: GatePlace;
}

/** The coding agents of the user that runs this server. The program that starts it knows their files. */
export interface LocalAgents {
  list(): Promise<LocalAgent[]>;
  /** Writes the agent's own configuration. Rejects with a sentence if it can't. Returns the token that it replaced. */
  gate(agent: string, gate: LocalGate): Promise<{ person: string; tokenId: string } | undefined>;
}
