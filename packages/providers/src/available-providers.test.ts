import { describe, expect, it } from 'vitest';
import { availableProviders } from './available-providers.js';

describe('providers with a key', () => {
  it('[MODEL2] are listed with the source of the key, never the key', () => {
    const env = { OPENAI_API_KEY: 'sk-secret', GEMINI_API_KEY: 'AIza-secret', ANTHROPIC_API_KEY: ' ' };
    expect(availableProviders(env)).toEqual([
      { name: 'openai', variable: 'OPENAI_API_KEY' },
      { name: 'google', variable: 'GEMINI_API_KEY' },
    ]);
    expect(JSON.stringify(availableProviders(env))).not.toContain('secret');
  });

  it('[MODEL2] are an empty list without keys', () => {
    expect(availableProviders({})).toEqual([]);
  });
});
