import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsObject, argumentsText, withoutBlanks } from './arguments.js';

describe('arguments on their way back', () => {
  it('[P2] are an object whatever the model sent, and say so where they were none', () => {
    expect(argumentsObject('{"a":1}')).toEqual({ a: 1 });
    expect(argumentsObject(' ')).toEqual({});
    expect(argumentsObject('{"a":')).toEqual({ unparsable: '{"a":' });
    expect(argumentsObject('[1]')).toEqual({ unparsable: '[1]' });
  });

  it('[P1] stay the text they were where they are an object', () => {
    expect(argumentsText('{ "a": 1.0, "a": 12345678901234567890 }')).toBe('{ "a": 1.0, "a": 12345678901234567890 }');
    expect(argumentsText('')).toBe('{}');
    expect(argumentsText('{"a":')).toBe('{"unparsable":"{\\"a\\":"}');
  });
});

describe('JSON without blanks', () => {
  it('[P3] reads as if it had been parsed and written again', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, indent) => {
        const parsed: unknown = JSON.parse(text);
        expect(withoutBlanks(JSON.stringify(parsed, null, indent))).toBe(JSON.stringify(parsed));
      }),
    );
  });

  it('[P1] keeps numbers, escapes and repeated keys as the model wrote them', () => {
    expect(withoutBlanks('{ "n": 1.0, "n": 9007199254740993, "s": "a \\u00e9 \\" b" }')).toBe(
      '{"n":1.0,"n":9007199254740993,"s":"a \\u00e9 \\" b"}',
    );
  });

  it('[P1] leaves alone what is no JSON', () => {
    expect(withoutBlanks('{ "n": ')).toBe('{ "n": ');
  });
});
