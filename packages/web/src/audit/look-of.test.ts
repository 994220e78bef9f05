import type { AuditEntry } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { lookOf } from './look-of.js';

const entry = (part: Pick<AuditEntry, 'kind'> & Partial<AuditEntry>): AuditEntry => ({
  at: '2026-01-01T00:00:00.000Z',
  worldId: 'w',
  seq: 1,
  previousHash: '',
  hash: '',
  ...part,
});

it('[LOG1] shows an answer as an answer, not as a denial', () => {
  expect(lookOf(entry({ kind: 'decision', decision: 'answer' }))).toMatchObject({ words: 'answered', tone: 'green' });
  expect(lookOf(entry({ kind: 'decision', decision: 'deny' }))).toMatchObject({ words: 'denied', tone: 'red' });
  // Nobody approved a call that a grant or rule released.
  const released = (scope: string) => lookOf(entry({ kind: 'decision', decision: 'release', scope })).words;
  expect([released('session'), released('always')]).toEqual(['allowed for this chat', 'allowed by a rule']);
  expect(lookOf(entry({ kind: 'decision', decision: 'expired' }))).toMatchObject({ words: 'expired', tone: 'red' });
  expect(lookOf(entry({ kind: 'decision', decision: 'approve', scope: 'once' }))).toMatchObject({
    words: 'approved once',
    tone: 'green',
  });
  expect(lookOf(entry({ kind: 'decision', decision: 'approve', scope: 'session' })).words).toBe(
    'approved for this chat',
  );
  expect(lookOf(entry({ kind: 'decision', decision: 'approve', scope: 'once', edited: true })).words).toBe(
    'approved once, edited',
  );
});

it('[LOG1] labels only rule changes as rules', () => {
  const words = (part: Partial<AuditEntry>): string => lookOf(entry({ kind: 'policy', ...part })).words;
  expect(words({ decision: 'added', rule: 'allow read_file' })).toBe('rule added');
  expect(words({ decision: 'agent added', agentId: 'ada' })).toBe('agent added');
  expect(words({ decision: 'mode auto' })).toBe('mode auto');
  expect(words({ decision: 'client left', client: 'client_1' })).toBe('client left');
});
