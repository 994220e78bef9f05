/**
 * Who said something, known from how it came in (M4). There is no way to make one from a sender's name:
 * an agent called `user-service` would pass for a person, and a person called like an agent for that agent.
 */
export type Speaker = { kind: 'human' } | { kind: 'world' } | { kind: 'agent'; agentId: string };
