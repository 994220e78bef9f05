import { describe, expect, it } from 'vitest';
import { contextTokens } from './context-tokens.js';

describe('context sizes', () => {
  it.each([
    ['gpt-4o-mini', 128_000],
    ['gpt-4.1-nano', 1_000_000],
    ['gpt-4', 8_000],
    ['gpt-4-turbo-2024-04-09', 128_000],
    ['gpt-5-mini', 272_000],
    ['o4-mini', 200_000],
    ['claude-sonnet-4-5', 200_000],
    ['anthropic/claude-3.7-sonnet:beta', 200_000],
    ['models/gemini-2.5-pro', 1_000_000],
    ['openai/gpt-4o', 128_000],
  ])('[MODEL2] %s has %i tokens', (model, tokens) => {
    expect(contextTokens(model)).toBe(tokens);
  });

  it('[MODEL2] unknown models get the conservative default', () => {
    expect(contextTokens('llama3.2:3b')).toBeUndefined();
    expect(contextTokens('')).toBeUndefined();
  });
});
