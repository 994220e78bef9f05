import type { Addressable } from './addressable.js';
import { indexNames } from './index-names.js';
import { gatherMentions } from './read-mentions.js';
import { leadingMentions, namedAgents } from './scan-mentions.js';
import type { Speaker } from './speaker.js';

export interface Addressees {
  /** The agents that answer: active, never the speaker, each once. */
  agentIds: string[];
  /** `named` also where those named will not answer: people, or agents that are switched off. */
  addressed: 'everyone' | 'named' | 'nobody';
  /** The names of the notice that is due when only names nobody has were addressed (M3); otherwise empty. */
  unknown: string[];
}

export interface AddressedMessage {
  content: string;
  speaker: Speaker;
  agents: readonly Addressable[];
  /** The id of the agent that gets what addresses nobody. Missing or switched off, everybody gets it: silence would look like a fault. */
  mainAgent?: string | undefined;
}

/** Who answers a message (M2–M4). */
export function resolveAddressees({ content, speaker, agents, mainAgent }: AddressedMessage): Addressees {
  const names = indexNames(agents);
  const self = speaker.kind === 'agent' ? speaker.agentId : undefined;
  const mentions = gatherMentions(leadingMentions(content, names));
  const named = mentions.agentIds.filter((id) => id !== self);

  if (named.length > 0 || mentions.human) {
    const active = new Set(agents.filter((agent) => agent.active).map((agent) => agent.id));
    return { agentIds: named.filter((id) => active.has(id)), addressed: 'named', unknown: [] };
  }
  // An agent's own name beside unknown ones addresses nobody else either, so the notice is still due.
  if (mentions.unknown.length > 0) return { agentIds: [], addressed: 'nobody', unknown: mentions.unknown };
  if (self !== undefined || namedAgents(content, names).length > 0)
    return { agentIds: [], addressed: 'nobody', unknown: [] };
  return { agentIds: everyone(agents, mainAgent), addressed: 'everyone', unknown: [] };
}

function everyone(agents: readonly Addressable[], mainAgent: string | undefined): string[] {
  const active = [...new Set(agents.filter((agent) => agent.active).map((agent) => agent.id))];
  return mainAgent !== undefined && active.includes(mainAgent) ? [mainAgent] : active;
}
