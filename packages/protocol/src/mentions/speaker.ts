/**
 * The speaker, determined by how a message arrived (WORLD4). A sender's name can't determine it: an agent called `user-service` would pass for a
 * person, and a person with an agent's name for that agent.
 */
export type Speaker = { kind: 'human' } | { kind: 'world' } | { kind: 'agent'; agentId: string };
