import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import fc from 'fast-check';
import { visibleParts, visibleText } from './visible-parts.js';

describe('misleading text', () => {
  it.each([
    ['\u202Egpj.sh', '‹U+202E›gpj.sh'],
    ['\u001B[31mred', '‹U+001B›[31mred'],
    ['a\u2066b\u2069', 'a‹U+2066›b‹U+2069›'],
    ['a\rb', 'a‹U+000D›b'],
    ['\uD800', '‹U+D800›'],
  ])('[SAFE6] escapes %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(visibleText(text, true)).toBe(shown);
  });

  it('keeps lines, tabs, joined emoji and letters of every script in prose', () => {
    const text = 'one\n\ttwo 👩‍💻 שלום ✔️';
    expect(visibleText(text)).toBe(text);
    expect(visibleText('a\r\nb')).toBe('a\nb');
  });

  it('[SAFE6] escapes zero-width characters, unusual spaces and tags in anything that will run', () => {
    expect(visibleText('rm\u200B -rf\u00A0/', true)).toBe('rm‹U+200B› -rf‹U+00A0›/');
    expect(visibleText('ls\u{E0041}', true)).toBe('ls‹U+E0041›');
    expect(visibleText('rm\u2800-rf', true)).toBe('rm‹U+2800›-rf');
  });

  it('[SAFE6] escapes invisible characters in prose, but not joiners and typographic spaces', () => {
    expect(visibleText('ap\u200Bprove \u{E0061}\u3164')).toBe('ap‹U+200B›prove ‹U+E0061›‹U+3164›');
    expect(visibleText('نمی\u200Cخواهم 5\u2009000')).toBe('نمی\u200Cخواهم 5\u2009000');
  });

  it.each([
    '‹masked number 2›',
    '‹masked 1: 24 characters›',
    '‹90 characters not shown›',
    '‹40 spaces›',
    '‹5 newlines›',
    '‹9 tabs›',
    '‹12 U+00A0›',
    '‹U+202E›',
  ])('[SAFE6] marks %s as added by the server', (placeholder) => {
    expect(visibleParts(`a${placeholder}b`, true)[1]).toEqual({ kind: 'escape', text: placeholder });
  });

  it('[SAFE6] marks text that the server masked', () => {
    expect(visibleParts('-H ‹masked 1›')).toEqual([
      { kind: 'text', text: '-H ' },
      { kind: 'escape', text: '‹masked 1›' },
    ]);
  });

  it('keeps all visible text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(visibleText(text)).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        for (const part of visibleParts(text, true)) expect(visibleParts(part.text, true)).toEqual([part]);
      }),
    );
  });
});
