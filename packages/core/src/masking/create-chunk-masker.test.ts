import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { scaled } from '../../../../tests/support/scaled.js';
import { announcing } from '../testing/announcing.js';
import { inMaskForm } from '../testing/mask-form.js';
import { createChunkMasker } from './create-chunk-masker.js';
import { maskSecrets } from './mask-secrets.js';
import { maskText } from './mask-text.js';

function stream(chunks: readonly string[], form: 'display' | 'chat' = 'display'): string {
  const masker = createChunkMasker({ form });
  return chunks.map((chunk) => masker.push(chunk)).join('') + masker.end();
}

function cut(text: string, lengths: readonly number[]): string[] {
  const chunks: string[] = [];
  let from = 0;
  for (const length of lengths) {
    chunks.push(text.slice(from, from + length));
    from += length;
  }
  return [...chunks, text.slice(from)];
}

const lengths = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
const filler = fc.oneof(
  fc.constantFrom(
    'the token is ',
    'https://host/a?b=c ',
    'x = 1;\n',
    '"',
    "'",
    '\\',
    '$',
    ' ',
    '          ',
    '\n\n\n\n\n\n',
    '\t',
    '#',
  ),
  fc.constantFrom(
    '\u{1F600}',
    '\uD83D',
    '\uDE00',
    '\u200B',
    '‹',
    '-----BEGIN ',
    'PRIVATE KEY-----',
    'password',
    ': ',
    '=',
    'Bearer ',
  ),
  fc.constantFrom(...announcing),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
);

describe('createChunkMasker', () => {
  it.each([
    ['a key', ['use ghp_01234567', '89abcdefghijABCDEFGHIJ0123', '45 now'], 'use ‹masked 1› now'],
    ['a header', ['Authorization: Bearer ', 'abc', 'def', '\nHost'], 'Authorization: Bearer ‹masked 1›\nHost'],
    ['an option', ['--password ', 'hunter2 -v'], '--password ‹masked 1› -v'],
    ['a split name', ['PASS', 'WORD', '=', 'hun', 'ter2'], 'PASSWORD=‹masked 1›'],
    ['an escape', ['{\\"token\\": \\', '"hunter2\\', '"}'], '{\\"token\\": \\"‹masked 1›\\"}'],
    ['blanks', ['a     ', '     ', '  b'], 'a‹12 spaces›b'],
    ['a pair', ['a\uD83D', '\uDE00b'], 'a\u{1F600}b'],
  ])('[SAFE6] masks %s split across chunks', (_what, chunks, display) => {
    expect(stream(chunks)).toBe(inMaskForm(display, chunks.join('')));
  });

  it('[SAFE6] masks a private key that arrives line by line', () => {
    const line = 'MIIEpAIBAAKCAQEAx7Gk0dU1aX9fQbYtE3hVn2sLr8oWmCzJpTiRyBvNqDfHgK5u\n';
    const chunks = ['-----BEGIN PRI', 'VATE KEY-----\n', line, line, 'abc', 'd==\n', '-----END PRIVATE KEY-----', '\n'];
    const shown = '-----BEGIN PRIVATE KEY-----\n‹masked 1›\n-----END PRIVATE KEY-----\n';
    expect(stream(chunks)).toBe(inMaskForm(shown, chunks.join('')));
  });

  it('[TURN13] text that can be shown is emitted immediately', () => {
    const masker = createChunkMasker();
    expect(masker.push('Hello wor')).toBe('Hello');
    expect(masker.push('ld, how')).toBe(' world,');
    expect(masker.end()).toBe(' how');
  });

  it('[SAFE6] never holds back more than its limit', () => {
    const masker = createChunkMasker();
    let shown = 0;
    let pushed = 0;
    for (let round = 0; round < 200; round += 1) {
      const chunk = 'abcdefghij'.repeat(50);
      pushed += chunk.length;
      shown += masker.push(chunk).length;
      expect(pushed - shown).toBeLessThanOrEqual(16 * 1024);
    }
    expect(shown + masker.end().length).toBe(pushed);
  });

  it('[SAFE6] the chunks add up to the output of maskText, wherever the text is split', () => {
    fc.assert(
      fc.property(fc.array(filler, { maxLength: 25 }), lengths, (fragments, at) => {
        const text = fragments.join('');
        expect(stream(cut(text, at))).toBe(maskText(text).value);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[SAFE6] no planted secret is emitted, wherever the text is split', () => {
    const secret = fc.string({ unit: fc.constantFrom('Q', 'X', 'Z', '7', '8', '9'), minLength: 24, maxLength: 30 });
    const introduction = fc.constantFrom(
      ...[
        'ghp_',
        'sk-ant-',
        'password=',
        '--password ',
        'Authorization: Bearer ',
        'Authorization: Basic ',
        'x-api-key: ',
        '{"token": "',
      ],
      ...['https://bob:', 'export API_KEY=', 'PGPASSWORD=', 'token = ', '--client-secret=', 'postgres://bob:'],
    );
    // A URL or a quote right before the planted text would change its meaning, so it starts on its own line.
    fc.assert(
      fc.property(
        fc.array(filler, { maxLength: 8 }),
        introduction,
        secret,
        lengths,
        (fragments, before, planted, at) => {
          const text = `${fragments.join('')}\n${before}${planted}@host "\n${fragments.join('')}`;
          expect(stream(cut(text, at))).not.toContain(planted.slice(4, -4));
        },
      ),
      { numRuns: scaled(500) },
    );
  });

  it('[SAFE6] an option on a line that continues an empty value is masked wherever the stream is split', () => {
    const planted = 'Q'.repeat(24);
    const text = `password=\\\n--password ${planted}@host "\n`;
    for (let at = 0; at <= text.length; at += 1)
      expect(stream([text.slice(0, at), text.slice(at)])).toBe(
        inMaskForm('password=\\\n‹masked 1› ‹masked 2› "\n', text),
      );
  });

  it('[SAFE6] no secret is emitted after any other announcement', () => {
    const names = ['password', 'token', 'x-api-key', 'API_KEY', 'Authorization', 'Cookie'];
    const announcement = fc.constantFrom(
      ...names.flatMap((name) => [`${name}=`, `${name}: `, `${name} = `, `--${name} `, `--${name}=`, `"${name}": "`]),
      ...['Authorization: Bearer ', 'Authorization: Basic ', 'Cookie: a=', 'Bearer ', '-u bob:', 'https://bob:'],
      ...['{\\"token\\": \\"', '{"token": "', "-H 'Authorization: Bearer ", 'export API_KEY='],
    );
    const between = fc.constantFrom(
      ...[
        '\n',
        '\r\n',
        '\\\n',
        ' \\\n  ',
        ' ',
        '\t',
        '""\n',
        '"" ',
        "'' ",
        '"", ',
        '"\n',
        '", "',
        ', ',
        '; ',
        '\n\n\n\n\n',
      ],
      ...[
        'null, ',
        'x\n',
        'x ',
        'x\\\n',
        '"x y" ',
        '"x y", ',
        '$x ',
        '$(x) ',
        '`x` ',
        ' && ',
        ' | ',
        ' # ',
        '\\n',
        '\u200B\n',
      ],
    );
    const secret = fc.string({ unit: fc.constantFrom('Q', 'X', 'Z', '7', '8', '9'), minLength: 24, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(announcement, between), { maxLength: 4 }),
        announcement,
        secret,
        lengths,
        (earlier, last, planted, at) => {
          const text = `${earlier.flat().join('')}${last}${planted}@host\n`;
          expect(stream(cut(text, at))).not.toContain(planted.slice(4, -4));
        },
      ),
      { numRuns: scaled(500) },
    );
  });

  it('[SAFE6] long words are split at the same positions for any chunk sizes', () => {
    const secret = ['ghp_', '0123456789abcdefghijABCDEFGHIJ012345'].join('');
    fc.assert(
      fc.property(fc.integer({ min: 15_000, max: 17_000 }), fc.integer({ min: 500, max: 5_000 }), (offset, size) => {
        const text = `${'x'.repeat(offset)}/${secret}/${'y'.repeat(18_000)} end`;
        const display = stream(
          cut(
            text,
            Array.from({ length: 80 }, () => size),
          ),
        );
        expect(display).toBe(maskText(text).value);
        expect(display).not.toContain(secret);
      }),
      { numRuns: scaled(30) },
    );
  });
});

describe('maskSecrets', () => {
  it('[SAFE6] replaces secrets and keeps the rest of a chat message', () => {
    expect(maskSecrets('\u2764\uFE0F ‹hi› password=hunter2')).toBe(
      '\u2764\uFE0F ‹hi› password=‹masked 1: 7 characters›',
    );
  });

  it('[SAFE6] equals the concatenated output of a chat stream', () => {
    fc.assert(
      fc.property(fc.array(filler, { maxLength: 25 }), lengths, (fragments, at) => {
        const text = fragments.join('');
        expect(stream(cut(text, at), 'chat')).toBe(maskSecrets(text));
      }),
      { numRuns: scaled(200) },
    );
  });
});
