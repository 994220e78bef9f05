import type { ProviderStatus } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { draftOf, keyStep, startDraft, switchKind, toChange, toNewProvider } from './provider-draft.js';

const saved: ProviderStatus = {
  id: 'box',
  kind: 'vllm',
  name: 'Box',
  source: 'stored',
  baseUrl: 'http://127.0.0.1:8000/v1',
  hasKey: true,
  available: true,
};

it('[MODEL7] starts with the name and URL of the kind, and adds a number to a taken name', () => {
  expect(startDraft('groq', ['groq', 'Groq 2'])).toMatchObject({
    name: 'Groq 3',
    baseUrl: 'https://api.groq.com/openai/v1',
  });
});

it('[MODEL7] choosing another kind replaces the default name and URL, but not typed text', () => {
  const first = startDraft('openai', []);
  expect(switchKind(first, 'ollama', [])).toMatchObject({ name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' });
  const typed = { ...first, name: 'Mine', baseUrl: 'http://gpu:1/v1' };
  expect(switchKind(typed, 'ollama', [])).toMatchObject({ kind: 'ollama', name: 'Mine', baseUrl: 'http://gpu:1/v1' });
});

it('[HTTP4] omits the default URL and an empty key', () => {
  expect(toNewProvider(startDraft('ollama', []))).toEqual({ kind: 'ollama', name: 'Ollama' });
  const given = { kind: 'azure', name: ' Work ', baseUrl: ' https://x.example ', apiKey: ' k ' } as const;
  expect(toNewProvider(given)).toEqual({ kind: 'azure', name: 'Work', baseUrl: 'https://x.example', apiKey: 'k' });
});

it('[HTTP4] sends only the changed fields', () => {
  const draft = draftOf(saved);
  expect(toChange(saved, draft, 'keep')).toBeUndefined();
  expect(toChange(saved, { ...draft, name: 'Big box' }, 'keep')).toEqual({ name: 'Big box' });
  expect(toChange(saved, { ...draft, baseUrl: 'http://gpu:8000/v1' }, 'remove')).toEqual({
    kind: 'vllm',
    baseUrl: 'http://gpu:8000/v1',
    apiKey: null,
  });
});

it('[MODEL8.6] a new key is sent with its kind and URL', () => {
  const change = { kind: 'vllm', baseUrl: null, apiKey: 'new' };
  expect(toChange(saved, { ...draftOf(saved), apiKey: 'new' }, 'replace')).toEqual(change);
});

it('[MODEL8.3] asks for the key again if it would go to another server', () => {
  const draft = draftOf(saved);
  const step = (change: object, chosen: 'keep' | 'replace' | 'remove' = 'keep', given = saved) =>
    keyStep(given, { ...draft, ...change }, chosen);
  expect(step({ baseUrl: 'http://127.0.0.1:8000/other' })).toEqual({ shows: 'saved', sends: 'keep' });
  for (const change of [{ baseUrl: 'http://127.0.0.1:80' }, { kind: 'ollama' }]) {
    expect(step(change)).toEqual({ shows: 'field', sends: 'keep', again: 'moved' });
    expect(step({ ...change, apiKey: 'new' })).toMatchObject({ sends: 'replace' });
    expect(step(change, 'keep', { ...saved, hasKey: false })).toEqual({ shows: 'field', sends: 'keep' });
  }
  // An invalid URL is refused on its own.
  expect(step({ baseUrl: 'http:' })).toMatchObject({ shows: 'saved' });
  expect(step({}, 'keep', { ...saved, problem: 'other secrets key' })).toMatchObject({ again: 'unusable' });
  expect(step({ apiKey: 'new' }, 'replace')).toEqual({ shows: 'field', sends: 'replace' });
  expect(step({}, 'remove')).toEqual({ shows: 'removal', sends: 'remove' });
  // The key can't be removed if the kind requires one.
  expect(step({ kind: 'openai' }, 'remove')).toMatchObject({ shows: 'field' });
});
