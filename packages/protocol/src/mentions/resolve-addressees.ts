import type { Addressable } from './addressable.js';
import { indexNames } from './index-names.js';
import { gatherMentions } from './read-mentions.js';
import { leadingMentions, namedAgents } from './scan-mentions.js';
import type { Speaker } from './speaker.js';

export interface Addressees {
  /** The agents that answer: active, without duplicates, never the speaker. */
  agentIds: string[];
  /** Also `named` if nobody named will answer, because they are people or inactive agents. */
  addressed: 'everyone' | 'named' | 'nobody';
}

export interface AddressedMessage {
  content: string;
  speaker: Speaker;
  agents: readonly Addressable[];
  /** The id of the agent that receives messages without a mention. If it is missing or inactive, every active agent receives them. */
  mainAgent?: string | undefined;
}

/** Resolves who answers a message (WORLD2–WORLD4). */
export function resolveAddressees({ content, speaker, agents, mainAgent }: AddressedMessage): Addressees {
  const names = indexNames(agents);
  const self = speaker.kind === 'agent' ? speaker.agentId : undefined;
  const mentions = gatherMentions(leadingMentions(content, names));
  const named = mentions.agentIds.filter((id) => id !== self);

  if (named.length > 0 || mentions.human) {
    const active = new Set(agents.filter((agent) => agent.active).map((agent) => agent.id));
    return { agentIds: named.filter((id) => active.has(id)), addressed: 'named' };
  }
  if (mentions.unknown.length > 0 || self !== undefined || namedAgents(content, names).length > 0)
    return { agentIds: [], addressed: 'nobody' };
  return { agentIds: everyone(agents, mainAgent), addressed: 'everyone' };
}

function everyone(agents: readonly Addressable[], mainAgent: string | undefined): string[] {
  const active = [...new Set(agents.filter((agent) => agent.active).map((agent) => agent.id))];
  return mainAgent !== undefined && active.includes(mainAgent) ? [mainAgent] : active;
}
