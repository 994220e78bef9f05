import type { Addressable } from './addressable.js';
import { indexNames } from './index-names.js';
import { prependMentions } from './prepend-mentions.js';
import { readMentions } from './read-mentions.js';
import { removeMentions } from './remove-mentions.js';
import { resolveAddressees } from './resolve-addressees.js';
import type { Speaker } from './speaker.js';
import { takeWorldTags } from './take-world-tags.js';

export interface Answer {
  content: string;
  agentId: string;
  /** The speaker of the message being answered. */
  answering: Speaker;
  agents: readonly Addressable[];
}

export interface PreparedAnswer {
  /** The published text. Empty if the model returned only self-mentions or an ending tag. */
  content: string;
  /** The agents that answer next, resolved from `content` by `resolveAddressees`, so that transcript and addressing agree. */
  agentIds: string[];
  /** Set if the agent ended the exchange. Remaining mentions then address nobody. */
  ended: boolean;
}

/** Prepares a model's answer for publishing (WORLD5). */
export function prepareAnswer({ content, agentId, answering, agents }: Answer): PreparedAnswer {
  const names = indexNames(agents);
  const tagged = takeWorldTags(content, names);
  if (tagged.ended) {
    const said = removeMentions(tagged.content, names, (target) => target.kind !== 'unknown');
    return { content: said, agentIds: [], ended: true };
  }
  const published = address(tagged.content);
  const { agentIds } = resolveAddressees({ content: published, speaker: { kind: 'agent', agentId }, agents });
  return { content: published, agentIds, ended: false };

  function address(said: string): string {
    const to = tagged.to.filter((target) => target.kind === 'human' || target.agentId !== agentId);
    if (to.length > 0) {
      return prependMentions(
        to,
        removeMentions(said, names, (target) => target.kind !== 'unknown'),
        agents,
      );
    }
    const own = removeMentions(said, names, (target) => target.kind === 'agent' && target.agentId === agentId);
    if (answering.kind !== 'agent' || answering.agentId === agentId || own.trim() === '') return own;
    const mentions = readMentions(own, agents);
    if (mentions.human || mentions.agentIds.length > 0) return own;
    return prependMentions([answering], own, agents);
  }
}
