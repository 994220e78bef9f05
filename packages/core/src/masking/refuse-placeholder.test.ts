import { describe, expect, it } from 'vitest';
import { maskText } from './mask-text.js';
import { maskValue } from './mask-value.js';
import { refusePlaceholder } from './refuse-placeholder.js';

describe('[TURN11.2] placeholders in the arguments of a model', () => {
  it.each([
    '{"content":"{ \\"‹masked›\\": \\"‹masked› serve\\" }"}',
    '{"‹masked›":1}',
    '{"password":"‹masked 12›"}',
    '{"password":"sk-p‹masked 12: 24 characters›9f2c"}',
    '{"pin":"‹masked number 2: 4 characters›"}',
    '{"pin":"‹masked number 2›"}',
    '{"content":"a‹90000 characters not shown›"}',
    '{"content":"a‹40 spaces›b"}',
    '{"content":"a‹U+202E›b"}',
    String.raw`{"content":"x = \"\\u2039masked 1\\u203A\""}`,
    String.raw`{"content":"x = '\\u{2039}masked\\u{203a}'"}`,
    String.raw`{"content":"\u2039mask\u0065d 1\u203a"}`,
    String.raw`{"content":"\u2039masked\u00201›"}`,
    String.raw`{"content":"x = '\\u{002039}masked 1\\u{203a}'"}`,
  ])('finds the placeholder in %s', (text) => {
    const error = refusePlaceholder(text);
    expect(error).toMatch(/contain the placeholder "(?:masked|40 spaces|90000 characters not shown|U\+202E)/);
    expect(error).toContain('ask a person');
    // As the status line of the call shows it.
    expect(maskText(error ?? '').value).toBe(error);
  });

  it('finds every form of placeholder', () => {
    const shown = maskValue({ password: 'hunter2', pin: { secret: 7 }, wide: ' '.repeat(50), bidi: 'a\u202eb' });
    for (const value of Object.values(shown.value as object))
      expect(refusePlaceholder(JSON.stringify(value))).toBeDefined();
    expect(refusePlaceholder(maskText('TOKEN=hunter2').value)).toBeDefined();
  });

  it.each([
    '{}',
    '{"content":"‹hi› and « masked »"}',
    '{"content":"‹masked"}',
    '{"content":"masked 1"}',
    '{"a":"‹masked one›"}',
  ])('finds no placeholder in %s', (text) => expect(refusePlaceholder(text)).toBeUndefined());
});
