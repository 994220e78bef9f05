import { expect, it } from 'vitest';
import { takesImages } from './takes-images.js';

it.each([
  'claude-sonnet-4-5',
  'claude-3-haiku-20240307',
  'anthropic/claude-opus-4.1:beta',
  'gpt-4o-mini',
  'gpt-5.1',
  'o3',
  'models/gemini-2.5-flash',
  'grok-4-fast',
  'llama3.2-vision:11b',
  'qwen2.5vl:7b',
  'gemma3:4b',
])('[MODEL12] %s accepts images', (model) => expect(takesImages(model)).toBe(true));

it.each(['gpt-4', 'gpt-3.5-turbo', 'o1-mini', 'o3-mini', 'gpt-4o-audio-preview', 'gemma3:1b', 'llama3.1', 'm', ''])(
  '[MODEL12] %s gets descriptions',
  (model) => expect(takesImages(model)).toBe(false),
);
