import { expect, it } from 'vitest';
import { signedText, writerName } from './who-text.js';

const ada = { kind: 'person', id: 'p1', name: 'Ada Lovelace' } as const;

it('[LOG1.6] shows who signed and from where', () => {
  expect(signedText(ada, 'Chrome on Linux')).toBe('Ada Lovelace, from Chrome on Linux');
  expect(signedText(ada, 'terminal')).toBe('Ada Lovelace, from the terminal');
  expect(signedText(ada, 'http')).toBe('Ada Lovelace');
  expect(signedText({ kind: 'agent', id: 'mason', name: 'Mason' }, 'call_1')).toBe('Mason (agent), from call_1');
  expect(signedText(ada, 'terminal', { id: 'bob', name: 'Bob' })).toBe('Ada Lovelace, for Bob, from the terminal');
  expect(signedText(undefined)).toBe('');
});

it('[LOG1.6] names the writer of a message unless it is the reader', () => {
  expect(writerName({ name: 'human', who: ada }, 'p2')).toBe('Ada Lovelace');
  expect(writerName({ name: 'human', who: ada }, 'p1')).toBeUndefined();
  expect(writerName({ name: 'human', who: ada }, undefined)).toBeUndefined();
  expect(writerName({ name: 'human' }, 'p1')).toBeUndefined();
  expect(writerName({ name: 'bob', who: ada }, 'p1')).toBe('bob');
});
