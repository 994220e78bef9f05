import { expect, it } from 'vitest';
import { firstProvider, providerLabel } from './provider-choice.js';

const scripted = { name: 'scripted', available: true };
const openai = { name: 'openai', available: true };
const google = { name: 'google', available: false };
const ollama = { name: 'ollama', available: false, problem: 'nothing answers' };

it('[P2] offers a configured model before the scripted one of the demo', () => {
  expect(firstProvider([scripted, google, openai])).toBe('openai');
  expect(firstProvider([scripted, google, ollama])).toBe('scripted');
  expect(firstProvider([])).toBe('');
});

it('[P2] says which providers can’t be used, and why', () => {
  const known = [scripted, openai, google, ollama];
  expect(known.map(({ name }) => providerLabel(name, known))).toEqual([
    'scripted',
    'openai',
    'google (no key)',
    'ollama (not available)',
  ]);
});
