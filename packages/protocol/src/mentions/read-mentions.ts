import type { Addressable } from './addressable.js';
import { foldName, indexNames } from './index-names.js';
import type { Mention } from './match-mention.js';
import { leadingMentions } from './scan-mentions.js';

export interface Mentions {
  /** Addressed agents, active or inactive, in the order of their first mention. */
  agentIds: string[];
  /** Whether `@human` addresses people. */
  human: boolean;
  /** Unknown leading names, as written. */
  unknown: string[];
}

/** Reads the addressees of a text (WORLD3): mentions at the start of a line, outside code. */
export function readMentions(content: string, agents: readonly Addressable[]): Mentions {
  return gatherMentions(leadingMentions(content, indexNames(agents)));
}

export function gatherMentions(mentions: readonly Mention[]): Mentions {
  const agentIds = new Set<string>();
  const unknown = new Map<string, string>();
  let human = false;
  for (const { target } of mentions) {
    switch (target.kind) {
      case 'agent':
        agentIds.add(target.agentId);
        break;
      case 'human':
        human = true;
        break;
      case 'unknown': {
        const name = foldName(target.name);
        if (!unknown.has(name)) unknown.set(name, target.name);
        break;
      }
    }
  }
  return { agentIds: [...agentIds], human, unknown: [...unknown.values()] };
}
