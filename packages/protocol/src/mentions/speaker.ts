/**
 * The speaker, set by how a message came in (M4). It can't be derived from a sender's name: an agent called `user-service` would pass
 * for a person, and a person with an agent's name for that agent.
 */
export type Speaker = { kind: 'human' } | { kind: 'world' } | { kind: 'agent'; agentId: string };
