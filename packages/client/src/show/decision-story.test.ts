import { describe, expect, it } from 'vitest';
import { decisionStory } from './decision-story.js';

const at = '2026-01-01T00:00:00.000Z';
const now = Date.parse('2026-01-01T00:00:03.000Z');

describe('what became of a question', () => {
  it('says who decided, where and when', () => {
    expect(decisionStory({ outcome: 'approved', scope: 'once', by: 'ada', client: 'terminal', at }, now)).toBe(
      'Approved once by ada in the terminal, 3 s ago',
    );
    expect(decisionStory({ outcome: 'approved', scope: 'session', by: 'ada', at }, now, 'ada')).toBe(
      'Approved for this chat by you, 3 s ago',
    );
  });

  it('knows a browser by its session', () => {
    const decision = { outcome: 'approved', scope: 'once', by: 'browser session 12ab', client: 'http', at } as const;
    expect(decisionStory(decision, now)).toBe('Approved once by browser session 12ab in the web, 3 s ago');
    expect(decisionStory({ ...decision, by: 'token' }, now)).toBe('Approved once by token, 3 s ago');
  });

  it('says why not', () => {
    expect(decisionStory({ outcome: 'denied', scope: 'once', by: 'ada', at, reason: 'not this one' }, now)).toBe(
      'Denied by ada, 3 s ago: not this one',
    );
  });

  it('[A11] shows expiry as expiry', () => {
    expect(decisionStory({ outcome: 'expired', scope: 'once', by: 'system', at }, now)).toBe(
      'Expired, 3 s ago, nothing ran',
    );
  });
});
