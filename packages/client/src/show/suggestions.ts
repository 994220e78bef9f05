import type { Agent } from '@countersign/protocol';

/** Suggestions for the demo world; each shows a different feature. */
const HARBOUR = [
  'Please tidy the notes folder.',
  'How large is the crew? Count the lines.',
  'Watch the tide for me.',
] as const;
/** The provider of the demo's agents, which play a script. */
const DEMO_PROVIDER = 'scripted';

/** Suggestions above an empty composer. The demo's are only for its own agents: a real model would answer them differently. */
export function suggestionsFor(agents: readonly Agent[], mainAgent: string | undefined): readonly string[] {
  const active = agents.filter(({ active: isActive }) => isActive);
  if (active.length === 0) return [];
  const main = active.find(({ id }) => id === mainAgent);
  const answering = main === undefined ? active : [main];
  const names = new Set(active.map(({ name }) => name));
  const isDemo =
    names.has('Scout') && names.has('Mason') && answering.every(({ provider }) => provider === DEMO_PROVIDER);
  return isDemo ? HARBOUR : ['What can you do here?', 'What is in the working folder?'];
}
