import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  it('[CALL7] gives the same text for the same value in any key order', () => {
    expect(canonicalJson({ b: [1, { d: null, c: true }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}');
  });

  it('sorts keys by code point, where UTF-16 order would differ', () => {
    expect(canonicalJson({ '\u{1f600}': 1, '\uff5e': 2, z: 3 })).toBe('{"z":3,"\uff5e":2,"\u{1f600}":1}');
  });

  it('keeps a __proto__ key as data', () => {
    expect(canonicalJson(JSON.parse('{"a":1,"__proto__":{"b":2}}'))).toBe('{"__proto__":{"b":2},"a":1}');
  });

  it('writes minus zero as zero and escapes lone surrogates', () => {
    expect(canonicalJson([-0, '\ud800'])).toBe('[0,"\\ud800"]');
  });

  it.each([
    ['NaN', Number.NaN],
    ['undefined', undefined],
    ['a bigint', 1n],
    ['a hole', Array.from({ length: 1 })],
    ['a date', new Date(0)],
    ['a nested function', { f: () => 1 }],
  ])('rejects values that JSON can’t represent: %s', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('refuses a value that contains itself instead of overflowing the stack', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(() => canonicalJson(loop)).toThrow('nested too deeply');
  });

  it('[CALL7] is a fixed point: parsing and serializing again changes nothing', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: anyCharacter }), (text) => {
        const once = canonicalJson(JSON.parse(text));
        expect(canonicalJson(JSON.parse(once))).toBe(once);
        expect(JSON.parse(once)).toEqual(JSON.parse(text, (_key, value: unknown) => (value === 0 ? 0 : value)));
      }),
    );
  });
});
