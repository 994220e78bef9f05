import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { agentMayAskFor } from './agent-may-ask-for.js';

it('[CALL17] a glob on the list matches no name that the list excludes', () => {
  const names = ['look', 'touch', 'mcp__a__x', 'mcp__b__x', 'create_agent', 'kk', 'm'];
  const entries = fc.oneof(
    fc.constantFrom(...names, '*', 'l*', 'mcp__*', 'mcp__a__*', '*k', 'm*x', '**', 'mcp__*__x', '*_*'),
    fc.string({ unit: fc.constantFrom('m', 'k', '_', '*'), minLength: 1, maxLength: 5 }),
  );
  const words = fc.oneof(fc.constantFrom(...names), fc.string({ unit: fc.constantFrom('m', 'k', '_'), maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 3 }), entries, words, (list, entry, name) => {
      fc.pre(agentMayAskFor(list, entry) && agentMayAskFor([entry], name));
      expect(agentMayAskFor(list, name)).toBe(true);
    }),
    { numRuns: scaled(500) },
  );
});
