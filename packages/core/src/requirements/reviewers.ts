import type { NeededSignatures } from '@countersign/protocol';
import { type AgentRecord, UNKNOWN_AGENT } from '../ports/index.js';
import type { SigningRule } from '../policy/index.js';

/** An agent that a rule names to review a call (SIGN3). */
export interface Reviewer {
  readonly id: string;
  readonly name: string;
  /** Why it can't review this call. */
  readonly problem: Extract<NeededSignatures['stuck'], `agent-${string}`> | undefined;
  /** Whether its turn about the call hasn't ended. */
  readonly isReviewing: boolean;
}

type Agent = Pick<AgentRecord, 'id' | 'definition' | 'makers'>;

/**
 * The agents that these rules name for a call of this agent. An agent never reviews its own calls or those of agents that it created, and an
 * agent that an agent created never reviews: its maker would have written its instructions.
 */
export function findReviewers(
  rules: readonly SigningRule[],
  callerId: string,
  agents: readonly Agent[],
  isReviewing: (agentId: string) => boolean,
): readonly Reviewer[] {
  const caller = agents.find(({ id }) => id === callerId);
  return reviewersIn(rules).map((id) => {
    const agent = agents.find((each) => each.id === id);
    const name = agent?.definition.name ?? id;
    return { id, name, problem: problemOf(agent, caller), isReviewing: isReviewing(id) };
  });
}

/** The ids of the agents that rules name, each once. */
export function reviewersIn(rules: readonly SigningRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ by: { agent } }) => agent ?? []))];
}

function problemOf(agent: Agent | undefined, caller: Agent | undefined): Reviewer['problem'] {
  if (agent === undefined) return 'agent-missing';
  if (caller === undefined || agent.id === caller.id || agent.makers.length > 0) return 'agent-related';
  if (caller.makers.includes(agent.id) || caller.makers.includes(UNKNOWN_AGENT)) return 'agent-related';
  return agent.definition.active ? undefined : 'agent-inactive';
}

/** Explains why an agent can't review calls under a rule that is being written. `of`: the agent whose own rule it is. */
export function findUnfitReviewer(
  { by: { agent: id } }: SigningRule,
  agents: readonly Agent[],
  of: string | undefined,
): string | undefined {
  if (id === undefined) return undefined;
  const agent = agents.find((each) => each.id === id);
  if (agent === undefined) return `there is no agent with the id @${id} in this world`;
  if (id === of) return `@${id} can't review its own calls`;
  return agent.makers.length === 0 ? undefined : `an agent created @${id}, so it can't review calls`;
}
