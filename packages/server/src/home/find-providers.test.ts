import { expect, it } from 'vitest';
import { findProviders } from './find-providers.js';

it('[T14] masks a key in tool results, and leaves a placeholder key alone', () => {
  const key = 'sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
  const { secrets } = findProviders({ OPENAI_API_KEY: 'ollama', ANTHROPIC_API_KEY: ` ${key}\n` });
  expect(secrets).toEqual([key]);
});
