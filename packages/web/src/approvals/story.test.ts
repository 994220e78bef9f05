import { SYSTEM } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { callState } from './story.js';

const ada = { kind: 'person', id: 'owner', name: 'ada' } as const;
const at = '2026-01-01T00:00:00.000Z';

describe('the state of a call', () => {
  it('[CALL11] shows an expired call as expired', () => {
    const expired = { outcome: 'expired', scope: 'once', by: SYSTEM, at, waitedMs: 30_000 } as const;
    expect(callState({ status: { kind: 'expired', reason: 'timed out' } }, expired).words).toBe(
      'expired after 30 s, nothing ran',
    );
  });

  it('[WORLD9] shows a call that a person stopped as stopped, not as failed', () => {
    const error = 'stopped, outcome unknown';
    expect(callState({ status: { kind: 'failed', error, outcome: 'stopped' } }, undefined)).toEqual({
      words: 'stopped',
      tone: 'neutral',
      icon: 'stop',
    });
    expect(callState({ status: { kind: 'failed', error } }, undefined).words).toBe('failed');
  });

  it('has text and an icon for every state, not only a colour', () => {
    expect(callState({ status: { kind: 'asked', approvalId: 'approval_1' } }, undefined)).toEqual({
      words: 'waiting for you',
      tone: 'amber',
      icon: 'hourglass',
    });
    expect(
      callState({ status: { kind: 'succeeded', result: 1 } }, { outcome: 'approved', scope: 'always', by: ada, at })
        .words,
    ).toBe('approved always');
    expect(
      callState(
        { status: { kind: 'succeeded', result: 1 } },
        { outcome: 'approved', scope: 'always', by: ada, at, released: { rule: 'allow remove' } },
      ).words,
    ).toBe('allowed by a rule');
  });
});
