import type { Addressable } from './addressable.js';
import { indexNames } from './index-names.js';
import { gatherMentions } from './read-mentions.js';
import { leadingMentions, namedAgents } from './scan-mentions.js';

/** A notice lists at most this many names. */
const MAX_NAMES = 5;

/** Why no agent answers a message. `names` are the agents' names, or the names as typed if unknown. */
export type Silence =
  | { kind: 'no-agents' }
  | { kind: 'all-inactive'; names: readonly string[] }
  | { kind: 'inactive'; names: readonly string[]; active: readonly string[] }
  /** Programs outside act as these agents, which propose calls and answer no messages (EXT1). */
  | { kind: 'external'; names: readonly string[]; active: readonly string[] }
  | { kind: 'unknown'; names: readonly string[]; active: readonly string[] }
  /** Mentioned in the middle of a line, which addresses nobody (WORLD3.3). */
  | { kind: 'mid-line'; names: readonly string[]; active: readonly string[] };

/**
 * Finds out why no agent answers a person's message (WORLD3.5). Call it only if `resolveAddressees` finds no agent. Undefined if the
 * message addresses only people.
 */
export function findSilence(content: string, agents: readonly Addressable[]): Silence | undefined {
  const index = indexNames(agents);
  const mentions = gatherMentions(leadingMentions(content, index));
  if (mentions.human && mentions.agentIds.length === 0) return undefined;
  if (agents.length === 0) return { kind: 'no-agents' };
  const active = agents.filter((agent) => agent.active).map(({ name }) => name);
  const outside = agents.filter(({ external }) => external === true);
  const isOutside = (ids: readonly string[]): boolean => ids.every((id) => outside.some((agent) => agent.id === id));
  if (outside.length === agents.length) return { kind: 'external', names: agents.map(({ name }) => name), active };
  if (mentions.agentIds.length > 0 && isOutside(mentions.agentIds))
    return {
      kind: 'external',
      names: outside.filter(({ id }) => mentions.agentIds.includes(id)).map(({ name }) => name),
      active,
    };
  if (active.length === 0) return { kind: 'all-inactive', names: agents.map(({ name }) => name) };
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? id;
  if (mentions.agentIds.length > 0) return { kind: 'inactive', names: mentions.agentIds.map(nameOf), active };
  if (mentions.unknown.length > 0) return { kind: 'unknown', names: mentions.unknown, active };
  return { kind: 'mid-line', names: namedAgents(content, index).map(nameOf), active };
}

/** Explains why no agent answers, and what to do (WORLD3.5). */
export function explainSilence(content: string, agents: readonly Addressable[]): string | undefined {
  const silence = findSilence(content, agents);
  return silence === undefined ? undefined : `No agent will answer: ${reasonOf(silence)}`;
}

function reasonOf(silence: Silence): string {
  switch (silence.kind) {
    case 'no-agents':
      return 'this world has no agents. Add an agent, then send your message again.';
    case 'all-inactive': {
      const who = silence.names.length === 1 ? `the only agent, ${list(silence.names)}, is` : 'all agents are';
      return `${who} inactive in this world. Activate an agent, then send your message again.`;
    }
    case 'inactive':
      return `${areInactive(silence.names)}, or mention another agent: ${list(silence.active, 'or')}.`;
    case 'external': {
      const [, it] = grammarOf(silence.names);
      const verb = it === 'it' ? "runs in its own program and doesn't" : "run in their own programs and don't";
      const other =
        silence.active.length === 0
          ? 'Add another agent to chat with.'
          : `Mention another agent: ${list(silence.active, 'or')}.`;
      return `${list(silence.names)} ${verb} answer messages here. ${other}`;
    }
    case 'unknown':
      return `no agent here is called ${list(silence.names, 'or')}. Agents you can mention: ${list(silence.active)}.`;
    case 'mid-line':
      return reasonOfMidLine(silence.names, silence.active);
  }
}

function reasonOfMidLine(names: readonly string[], active: readonly string[]): string {
  const inactive = names.filter((name) => !active.includes(name));
  const midLine = `${list(names)} ${grammarOf(names)[0]} mentioned in the middle of a line`;
  if (inactive.length === names.length) {
    const [is, it] = grammarOf(inactive);
    return `${midLine}, and ${is} inactive. Activate ${it} and put the mention at the start of a line, or mention another agent there: ${list(active, 'or')}.`;
  }
  const advice = 'Put a mention at the start of a line to address that agent, or leave it out.';
  return `${midLine}. ${advice}${inactive.length === 0 ? '' : ` ${areInactive(inactive)} first.`}`;
}

/** Names the addressed agents that won't answer because they are inactive. Undefined if there are none. */
export function explainInactive(content: string, agents: readonly Addressable[]): string | undefined {
  if (agents.every(({ active }) => active)) return undefined;
  const { agentIds } = gatherMentions(leadingMentions(content, indexNames(agents)));
  const inactive = agents
    .filter(({ id, active, external }) => !active && external !== true && agentIds.includes(id))
    .map(({ name }) => name);
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
  const shown = names.slice(0, MAX_NAMES).map((name) => `@${name}`);
  if (names.length > MAX_NAMES) return `${shown.join(', ')} ${word} ${names.length - MAX_NAMES} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`;
}
