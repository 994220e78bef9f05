import type { Addressable } from './addressable.js';
import { indexNames } from './index-names.js';
import { gatherMentions } from './read-mentions.js';
import { leadingMentions, namedAgents } from './scan-mentions.js';

/** A notice lists at most this many names. */
const MOST_NAMES = 5;

/**
 * Explains why no agent answers a person's message, and what to do (M3). Only for a message that `resolveAddressees` gives to no agent.
 * Undefined if it only addresses people.
 */
export function explainSilence(content: string, agents: readonly Addressable[]): string | undefined {
  const names = indexNames(agents);
  const mentions = gatherMentions(leadingMentions(content, names));
  if (mentions.human && mentions.agentIds.length === 0) return undefined;
  if (agents.length === 0) {
    return 'No agent will answer: this world has no agents. Add an agent, then send your message again.';
  }
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? id;
  const active = agents.filter((agent) => agent.active).map(({ name }) => name);
  if (active.length === 0) {
    const who = agents.length === 1 ? `the only agent, ${list([nameOf(agents[0]?.id ?? '')])}, is` : 'all agents are';
    return `No agent will answer: ${who} inactive in this world. Activate an agent, then send your message again.`;
  }
  if (mentions.agentIds.length > 0) {
    const inactive = mentions.agentIds.map(nameOf);
    return `No agent will answer: ${areInactive(inactive)}, or mention another agent: ${list(active)}.`;
  }
  if (mentions.unknown.length > 0) {
    return `No agent will answer: no agent here is called ${list(mentions.unknown, 'or')}. Agents you can mention: ${list(active)}.`;
  }
  const named = namedAgents(content, names).map(nameOf);
  const inactive = named.filter((name) => !active.includes(name));
  const midLine = `No agent will answer: ${list(named)} ${named.length === 1 ? 'is' : 'are'} mentioned in the middle of a line`;
  if (inactive.length === named.length) {
    const [is, it] = grammarOf(inactive);
    return `${midLine}, and ${is} inactive. Activate ${it} and put the mention at the start of a line, or mention another agent there: ${list(active)}.`;
  }
  const advice = 'Put a mention at the start of a line to address that agent, or leave it out.';
  return `${midLine}. ${advice}${inactive.length === 0 ? '' : ` ${areInactive(inactive)} first.`}`;
}

/** Names the agents that a message addresses and that don't answer it because they are inactive. Undefined if there are none. */
export function explainInactive(content: string, agents: readonly Addressable[]): string | undefined {
  if (agents.every(({ active }) => active)) return undefined;
  const { agentIds } = gatherMentions(leadingMentions(content, indexNames(agents)));
  const inactive = agents.filter(({ id, active }) => !active && agentIds.includes(id)).map(({ name }) => name);
  if (inactive.length === 0) return undefined;
  return `${areInactive(inactive)} to get an answer from ${grammarOf(inactive)[1]} too.`;
}

/** `@Off is inactive. Activate it`. */
function areInactive(names: readonly string[]): string {
  const [is, it] = grammarOf(names);
  return `${list(names)} ${is} inactive. Activate ${it}`;
}

function grammarOf(names: readonly string[]): readonly [string, string] {
  return names.length === 1 ? ['is', 'it'] : ['are', 'them'];
}

function list(names: readonly string[], word = 'and'): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => `@${name}`);
  if (names.length > MOST_NAMES) return `${shown.join(', ')} ${word} ${names.length - MOST_NAMES} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`;
}
