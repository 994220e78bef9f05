import { SYSTEM } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { decisionStory, expiredText, scopeText, approvedText } from './decision-story.js';

const ada = { kind: 'person', id: 'p1', name: 'Ada Lovelace' } as const;
const at = '2026-01-01T00:00:00.000Z';
const now = Date.parse('2026-01-01T00:00:03.000Z');

describe('descriptions of a decision', () => {
  it('name who decided, where and when', () => {
    expect(decisionStory({ outcome: 'approved', scope: 'once', by: ada, via: 'terminal', at }, now)).toBe(
      'Approved once by Ada Lovelace, from the terminal, 3 s ago',
    );
    expect(decisionStory({ outcome: 'approved', scope: 'session', by: ada, at }, now, 'p1')).toBe(
      'Approved for this chat by you, 3 s ago',
    );
  });

  it('[LOG1] name the device, and mark an agent as one', () => {
    const decision = { outcome: 'approved', scope: 'once', by: ada, via: 'Chrome on Linux', at } as const;
    expect(decisionStory(decision, now)).toBe('Approved once by Ada Lovelace, from Chrome on Linux, 3 s ago');
    expect(decisionStory(decision, now, 'p1')).toBe('Approved once by you, from Chrome on Linux, 3 s ago');
    expect(decisionStory({ ...decision, via: 'http' }, now)).toBe('Approved once by Ada Lovelace, 3 s ago');
    const agent = { kind: 'agent', id: 'reviewer', name: 'Reviewer' } as const;
    expect(approvedText({ ...decision, by: agent })).toBe('approved once by Reviewer (agent)');
    const reviewed = { ...decision, by: agent, via: 'review_call', rule: 'ask pay by agent @reviewer' };
    // Also for a reader with the same id.
    expect(decisionStory(reviewed, now, 'reviewer')).toBe(
      'Approved once by Reviewer (agent) under the rule ask pay by agent @reviewer, 3 s ago',
    );
    const signers = [
      { ...ada, via: 'terminal' },
      { ...agent, via: 'review_call' },
    ];
    expect(decisionStory({ ...reviewed, signers }, now)).toBe(
      'Approved once by Ada Lovelace, from the terminal, and Reviewer (agent) under the rule ask pay by agent @reviewer, 3 s ago',
    );
    expect(decisionStory({ ...reviewed, outcome: 'denied', reason: 'no' }, now)).toBe(
      'Denied by Reviewer (agent) under the rule ask pay by agent @reviewer, 3 s ago: no',
    );
  });

  it('[SIGN4.5] name the person for whom someone signed', () => {
    const bob = { kind: 'person', id: 'bob', name: 'Bob' } as const;
    const signers = [{ ...bob, via: 'terminal', for: { id: 'p1', name: 'Ada Lovelace' } }];
    const decision = { outcome: 'approved', scope: 'once', by: bob, via: 'terminal', signers, at } as const;
    const story = 'Approved once by Bob, for Ada Lovelace, from the terminal, 3 s ago';
    expect(decisionStory(decision, now)).toBe(story);
    expect(decisionStory(decision, now, 'bob')).toBe(story.replace('Bob', 'you'));
    expect(approvedText(decision)).toBe('approved once by Bob, for Ada Lovelace');
  });

  it('[CALL5] name the rule or grant that allowed the call, and its author', () => {
    const rule = 'allow remove(path=a*)';
    const byRule = { outcome: 'approved', scope: 'always', by: ada, at, released: { rule } } as const;
    expect(decisionStory(byRule, now)).toBe(
      'Allowed by a rule written by Ada Lovelace, 3 s ago: allow remove(path=a*)',
    );
    expect(approvedText(byRule, 'p1')).toBe('allowed by a rule written by you');
    expect(scopeText(byRule)).toBe('allowed by a rule');
    const admin = { ...byRule, by: SYSTEM };
    expect(decisionStory(admin, now)).toBe('Allowed by a rule, 3 s ago: allow remove(path=a*)');
    const byGrant = { outcome: 'approved', scope: 'session', by: ada, at, released: {} } as const;
    expect(decisionStory(byGrant, now)).toBe('Allowed for this chat by Ada Lovelace, 3 s ago');
  });

  it('[SIGN1.3] name everyone who signed', () => {
    const bob = { kind: 'person', id: 'p2', name: 'Bob' } as const;
    const signers = [
      { ...bob, via: 'Chrome on Android' },
      { ...ada, via: 'terminal' },
    ];
    const decision = { outcome: 'approved', scope: 'once', by: ada, via: 'terminal', signers, at } as const;
    expect(decisionStory(decision, now, 'p1')).toBe(
      'Approved once by Bob, from Chrome on Android, and you, from the terminal, 3 s ago',
    );
    expect(approvedText(decision)).toBe('approved once by Bob and Ada Lovelace');
  });

  it('give the reason for a denial', () => {
    expect(decisionStory({ outcome: 'denied', scope: 'once', by: ada, at, reason: 'not this one' }, now)).toBe(
      'Denied by Ada Lovelace, 3 s ago: not this one',
    );
  });

  it('[CALL7.2] say that a changed call needs approval again, without naming a person', () => {
    const superseded = { outcome: 'superseded', scope: 'once', by: SYSTEM, at, reason: 'changed' } as const;
    expect(decisionStory(superseded, now)).toBe('Needs approval again, 3 s ago: the call changed after it was shown');
  });

  it('[CHANGE6.9] say who edited a call that is shown again', () => {
    const by = { kind: 'person', id: 'ada', name: 'Ada' } as const;
    const edited = { outcome: 'superseded', scope: 'once', by, at, editedArguments: { command: 'ls' } } as const;
    expect(decisionStory(edited, now)).toBe('Edited by Ada, 3 s ago. The edited call needs approval');
  });

  it('[CALL11] show an expired approval, and how long it waited', () => {
    const expired = { outcome: 'expired', scope: 'once', by: SYSTEM, at } as const;
    expect(decisionStory({ ...expired, waitedMs: 30_000 }, now)).toBe('Expired after 30 s, nothing ran');
    expect(decisionStory({ ...expired, waitedMs: 5_000 }, now)).toBe('Expired after 5 s, nothing ran');
    expect(decisionStory(expired, now)).toBe('Expired, nothing ran');
    expect(expiredText({ ...expired, waitedMs: 240_000 })).toBe('expired after 4 min, nothing ran');
    expect(expiredText(undefined)).toBe('expired, nothing ran');
  });

  it('name who approved and the scope', () => {
    const approved = { outcome: 'approved', scope: 'session', by: ada, at } as const;
    expect(approvedText(approved)).toBe('approved for this chat by Ada Lovelace');
    expect(approvedText(approved, 'p1')).toBe('approved for this chat by you');
    expect(approvedText({ outcome: 'approved', scope: 'always', at })).toBe('approved always');
  });
});
