import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsObject, argumentsText, withoutWhitespace } from './arguments.js';

describe('arguments sent back to the model', () => {
  it('[MODEL2] are always an object, and flag invalid JSON', () => {
    expect(argumentsObject('{"a":1}')).toEqual({ a: 1 });
    expect(argumentsObject(' ')).toEqual({});
    expect(argumentsObject('{"a":')).toEqual({ unparsable: '{"a":' });
    expect(argumentsObject('[1]')).toEqual({ unparsable: '[1]' });
  });

  it('[MODEL1] stay unchanged if they are an object', () => {
    expect(argumentsText('{ "a": 1.0, "a": 12345678901234567890 }')).toBe('{ "a": 1.0, "a": 12345678901234567890 }');
    expect(argumentsText('')).toBe('{}');
    expect(argumentsText('{"a":')).toBe('{"unparsable":"{\\"a\\":"}');
  });
});

describe('JSON without whitespace', () => {
  it('[MODEL3] equals parsed and re-serialized JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, indent) => {
        const parsed: unknown = JSON.parse(text);
        expect(withoutWhitespace(JSON.stringify(parsed, null, indent))).toBe(JSON.stringify(parsed));
      }),
    );
  });

  it('[MODEL1] keeps numbers, escapes and repeated keys as the model wrote them', () => {
    expect(withoutWhitespace('{ "n": 1.0, "n": 9007199254740993, "s": "a \\u00e9 \\" b" }')).toBe(
      '{"n":1.0,"n":9007199254740993,"s":"a \\u00e9 \\" b"}',
    );
  });

  it('[MODEL1] leaves invalid JSON unchanged', () => {
    expect(withoutWhitespace('{ "n": ')).toBe('{ "n": ');
  });
});
