import type { AuditEntry } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { filterEntries, signersIn } from './filter-entries.js';

const entry = (seq: number, more: Partial<AuditEntry>): AuditEntry => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  worldId: 'w',
  kind: 'run',
  previousHash: '',
  hash: '',
  ...more,
});
const entries = [
  entry(1, { kind: 'request', agentId: 'mason', arguments: { command: 'RM x' } }),
  entry(2, { kind: 'decision', agentId: 'mason', who: { kind: 'token', id: 'ada', name: 'ada' }, client: 'web' }),
  entry(3, { kind: 'run', agentId: 'scout' }),
  entry(4, { kind: 'stop', who: { kind: 'person', id: 'p1', name: 'Ada' }, via: 'Chrome on Linux' }),
  entry(5, { kind: 'stop', who: { kind: 'person', id: 'p1', name: 'Ada Lovelace' } }),
];
const found = (filter: Partial<Parameters<typeof filterEntries>[1]>): number[] =>
  filterEntries(entries, { kind: '', agentId: '', who: '', words: '', ...filter }).map(({ seq }) => seq);

it('finds records by kind, agent and any of their words, newest first', () => {
  expect(found({})).toEqual([5, 4, 3, 2, 1]);
  expect(found({ kind: 'run' })).toEqual([3]);
  expect(found({ agentId: 'mason' })).toEqual([2, 1]);
  expect(found({ words: 'rm x' })).toEqual([1]);
  expect(found({ words: 'ADA', kind: 'decision' })).toEqual([2]);
  expect(found({ words: 'from chrome' })).toEqual([4]);
});

it('[LOG1.6] finds the records of one person, under any of their names', () => {
  expect(signersIn(entries)).toEqual([
    { value: 'p1', label: 'Ada Lovelace' },
    { value: 'ada', label: 'ada' },
  ]);
  expect(found({ who: 'p1' })).toEqual([5, 4]);
  expect(found({ who: 'ada' })).toEqual([2]);
});
