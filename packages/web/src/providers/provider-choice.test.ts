import { expect, it } from 'vitest';
import { firstProvider, providerLabel } from './provider-choice.js';

function provider(id: string, available: boolean, more: { name?: string; problem?: string } = {}) {
  return { id, name: id, source: 'environment' as const, hasKey: available, available, ...more };
}
const scripted = provider('scripted', true);
const openai = provider('openai', true);
const google = provider('google', false);
const ollama = provider('ollama', false, { problem: 'nothing answers' });

it('[MODEL2.2] offers a configured model before the scripted one of the demo', () => {
  expect(firstProvider([scripted, google, openai])).toBe('openai');
  expect(firstProvider([scripted, google, ollama])).toBe('scripted');
  expect(firstProvider([])).toBe('');
});

it('[MODEL2] says which providers can’t be used, and why', () => {
  const known = [scripted, openai, google, ollama, provider('gpu-box', true, { name: 'GPU box' })];
  expect(known.map(({ id }) => providerLabel(id, known))).toEqual([
    'scripted',
    'openai',
    'google (no key)',
    'ollama (not available)',
    'GPU box',
  ]);
});
