import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { canonicalJson } from '../policy/index.js';
import { argumentsLimit, parseCall } from './parse.js';

type Parsed = { ok: true; value: Record<string, unknown>; text: string } | { ok: false; error: string };

function parseArguments(text: string): Parsed {
  const { arguments: parsed, argumentsText } = parseCall(undefined, 'tool', text);
  return parsed.ok ? { ok: true, value: parsed.value as Record<string, unknown>, text: argumentsText } : parsed;
}

describe('the arguments of a call', () => {
  it('[CALL7] returns the value and its canonical text', () => {
    expect(parseArguments(' {"b": -0, "a": [1e2]} ')).toEqual({
      ok: true,
      value: { a: [100], b: 0 },
      text: '{"a":[100],"b":0}',
    });
  });

  it('[TURN11.1] treats only an empty text as no arguments', () => {
    expect(parseArguments('')).toEqual({ ok: true, value: {}, text: '{}' });
    for (const text of [
      ' ',
      '\n',
      '\0',
      'null',
      'undefined',
      '""',
      '[]',
      '{',
      '{}{}',
      '\ufeff{}',
      '{"a":}',
      "{'a':1}",
    ]) {
      expect(parseArguments(text)).toMatchObject({ ok: false });
    }
  });

  it('[TURN11.1] explains the error to the model', () => {
    expect(parseArguments('[1]')).toMatchObject({ error: expect.stringContaining('not an array') as string });
    expect(parseArguments('"x"')).toMatchObject({ error: expect.stringContaining('not a string') as string });
    expect(parseArguments('{"a":1e999}')).toMatchObject({ error: expect.stringContaining('too large') as string });
  });

  it('[SAFE6] does not quote invalid text', () => {
    const parsed = parseArguments('{"password": hunter2}');
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining('not valid JSON') as string });
    expect(JSON.stringify(parsed)).not.toMatch(/hunter2|password/);
  });

  it('[TURN11.1] the calls of one response have at most 1 MB and 5,000 values together, and the rest is not parsed', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`a${at}`, 1])));
    expect(parseArguments(many)).toMatchObject({ ok: true });
    const left = argumentsLimit();
    const read = (text: string) => parseCall(undefined, 'tool', text, left).arguments;
    expect(read(many)).toMatchObject({ ok: true });
    expect(read(many)).toMatchObject({ ok: false, error: expect.stringContaining('5000 values') as string });
    const long = JSON.stringify({ a: 'x'.repeat(600_000) });
    const others = argumentsLimit();
    expect(parseCall(undefined, 'tool', long, others).arguments).toMatchObject({ ok: true });
    const error = expect.stringContaining('1 MB') as string;
    expect(parseCall(undefined, 'tool', long, others).arguments).toMatchObject({ ok: false, error });
    // Not parsed: otherwise, this would be invalid JSON.
    expect(parseArguments('['.repeat(6_000))).toMatchObject({ error: expect.stringContaining('levels') as string });
    expect(parseArguments('[1,'.padEnd(20_000, '1,'))).toMatchObject({
      error: expect.stringContaining('values') as string,
    });
  });

  it('[TURN11.1] rejects more than 64 levels and more than 1 MB', () => {
    const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    expect(parseArguments(nested(64))).toMatchObject({ ok: true });
    expect(parseArguments(nested(65))).toMatchObject({
      ok: false,
      error: expect.stringContaining('64 levels') as string,
    });
    expect(parseArguments(`{"a":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`)).toMatchObject({ ok: false });
    const sized = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(parseArguments(sized(1024 * 1024))).toMatchObject({ ok: true });
    expect(parseArguments(sized(1024 * 1024 + 1))).toMatchObject({
      ok: false,
      error: expect.stringContaining('1 MB') as string,
    });
    expect(parseArguments(`{"a":"${'\u20ac'.repeat(1_500_000)}"}`)).toMatchObject({
      ok: false,
      error: expect.stringContaining('1 MB') as string,
    });
  });

  it('[CALL7] keeps a __proto__ key as data, without prototype pollution', () => {
    const parsed = parseArguments('{"__proto__":{"admin":true}}');
    expect(parsed).toMatchObject({ ok: true, text: '{"__proto__":{"admin":true}}' });
    expect(parsed.ok && Object.hasOwn(parsed.value, '__proto__')).toBe(true);
    expect(parsed.ok && parsed.value['admin']).toBeUndefined();
  });

  it('[CALL7] the value matches the text exactly, and parsing the text again changes nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()), (args) => {
        const parsed = parseArguments(JSON.stringify(args));
        if (!parsed.ok) throw new Error(parsed.error);
        expect(canonicalJson(parsed.value)).toBe(parsed.text);
        expect(parseArguments(parsed.text)).toEqual(parsed);
      }),
    );
  });

  it('[TURN11.1] never throws and never accepts invalid text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const parsed = parseArguments(text);
        let valid = text === '';
        try {
          const value: unknown = JSON.parse(text);
          valid = typeof value === 'object' && value !== null && !Array.isArray(value);
        } catch {
          // Not JSON: only the empty text is accepted.
        }
        expect(parsed.ok).toBe(valid);
      }),
    );
  });
});
