import { describe, expect, it } from 'vitest';
import { complete, matching, mentionAt } from './mention-at.js';

describe('completing a mention', () => {
  it.each([
    ['@', { from: 0, typed: '' }],
    ['@ma', { from: 0, typed: 'ma' }],
    ['hello\n  @Sc', { from: 8, typed: 'Sc' }],
    ['@Scout, @ma', { from: 8, typed: 'ma' }],
  ])('[WORLD3.1] finds the mention at the start of a paragraph in %j', (text, found) => {
    expect(mentionAt(text, text.length)).toEqual(found);
  });

  it.each(['mail bob@x', 'I asked @ma', 'plain', 'a @'])(
    '[WORLD3.3] opens no list for %j, which mentions nobody',
    (text) => {
      expect(mentionAt(text, text.length)).toBeUndefined();
    },
  );

  it('inserts the name and keeps the rest', () => {
    const text = '@ma please';
    const mention = mentionAt(text, 3);
    expect(mention && complete(text, 3, mention, 'Mason')).toEqual({ text: '@Mason please', cursor: 7 });
  });

  it('finds agents by name or id', () => {
    const agents = [
      { id: 'scout', name: 'Scout' },
      { id: 'a-1', name: 'Mason' },
    ];
    expect(matching(agents, 'MA').map(({ id }) => id)).toEqual(['a-1']);
    expect(matching(agents, 'a-').map(({ id }) => id)).toEqual(['a-1']);
  });
});
