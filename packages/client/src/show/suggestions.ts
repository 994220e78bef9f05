import type { Agent } from '@countersign/protocol';

/** Suggestions for the demo world; each shows a different feature. */
const HARBOUR = [
  'Please tidy the notes folder.',
  'How large is the crew? Count the lines.',
  'Watch the tide for me.',
] as const;

/** Suggestions above an empty composer. */
export function suggestionsFor(agents: readonly Agent[]): readonly string[] {
  const active = agents.filter(({ active: isActive }) => isActive);
  if (active.length === 0) return [];
  const names = new Set(active.map(({ name }) => name));
  if (names.has('Scout') && names.has('Mason')) return HARBOUR;
  return ['What can you do here?', 'What is in the working folder?'];
}
