import { describe, expect, it } from 'vitest';
import { isLikelySecret } from './is-likely-secret.js';

describe('[TURN14.1] isLikelySecret', () => {
  it.each([
    'sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWx2z4',
    'sk-ant-api03-Zm9yLXRlc3RzLW9ubHktbm90LWEta2V5LWF0LWFsbA',
    'AIzaSyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v',
    'gsk_5tGh2KdL9xPq7RmZ',
    '9f86d081884c7d659a2feaa0c55ad015',
    '123e4567-e89b-42d3-a456-426614174000',
    'postgres://countersign:Xk39fj2Lsd9@db/prod',
    'q1Zk9_vTtN3o-hXwYb7LrE2mCgJd5sUuPaQf8KiO0xM',
  ])('%s is a secret', (value) => expect(isLikelySecret(value)).toBe(true));

  it.each([
    '',
    'ollama',
    'lm-studio',
    'placeholder',
    'not-needed',
    'sk-xxxx',
    'sk-no-key-required',
    'sk-your-api-key-here',
    'YOUR_OPENAI_API_KEY_HERE',
    'Replace-This-With-Your-Key',
    'sk-00000000000000000000000000000000',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'changeme123changeme',
    'hunter2hunter2',
    'http://127.0.0.1:11434/v1',
    '/home/ada/projects/harbour',
    'llama3-8b-instruct-q4',
  ])('%s is not a secret', (value) => expect(isLikelySecret(value)).toBe(false));
});
