import type { Agent } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { suggestionsFor } from './suggestions.js';

const agent = (name: string, provider = 'scripted', active = true): Agent => ({
  id: name.toLowerCase(),
  name,
  systemPrompt: '',
  provider,
  model: 'm',
  tools: [],
  policy: [],
  active,
});

it('[WORLD13.1] suggests the demo only while its own agents answer', () => {
  const crew = [agent('Scout'), agent('Mason')];
  expect(suggestionsFor(crew, 'scout')).toContain('Watch the tide for me.');
  expect(suggestionsFor(crew, undefined)).toContain('Watch the tide for me.');
  const withReal = [...crew, agent('Reviewer', 'openai')];
  expect(suggestionsFor(withReal, 'reviewer')).toEqual(['What can you do here?', 'What is in the working folder?']);
  expect(suggestionsFor(withReal, undefined)).not.toContain('Watch the tide for me.');
  expect(suggestionsFor(withReal, 'scout')).toContain('Watch the tide for me.');
  expect(suggestionsFor([agent('Scout', 'openai', false)], undefined)).toEqual([]);
});
