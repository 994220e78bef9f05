import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../../tests/support/scaled.js';
import { announcing } from '../../testing/announcing.js';
import { createChunkMasker } from '../create-chunk-masker.js';
import { createSecretScanner } from './create-secret-scanner.js';
import { maskSecrets } from '../mask-secrets.js';
import { maskText } from '../mask-text.js';
import { mayHoldSecret } from './may-hold-secret.js';

/** Most fragments announce nothing and contain no secret alone, but combinations may. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...['pass', 'word', 'PASSWD', 'to', 'ken', 'secret', 'api', 'Key', 'sig', 'jwt', 'cookie', 'pgpass', '_auth', 'pw'],
    ...[
      'Authorization',
      'credentials',
      'Bear',
      'er',
      'Basic',
      'user',
      'u',
      'hunter2',
      'the',
      'Note',
      'x',
      '1',
      'É',
      'ſ',
    ],
  ),
  fc.constantFrom(
    ...[':', '=', '-', '--', '_', '.', '/', '://', '@', ',', '"', "'", '\\', ' ', '\t', '\n', '$', ';', '('],
  ),
  fc.constantFrom(
    ...[
      'sk-',
      'AKIA',
      'AIza',
      'ya29.',
      'ghp_',
      'github_pat_',
      'glpat-',
      'xoxb-',
      'npm_',
      'cs_',
      'hf_',
      'SG.',
      'SK',
      'eyJ',
      'AGE-',
    ],
    ...['hooks.slack.com/services/', 'discord.com/api/webhooks/', '123456789:AA', '-----', 'BEGIN', 'PRIVATE KEY-----'],
    ...[
      'A1b2C3d4E5f6G7h8',
      '0123456789abcdef',
      'ABCDEFGHIJ012345',
      'aaaaaaaaaaaaaaaa',
      '\u200B',
      '\uD83D',
      '‹',
      '          ',
    ],
  ),
  fc.constantFrom(...announcing),
  fc.string({ maxLength: 4 }),
);
const text = fc.array(fragment, { maxLength: 10 }).map((fragments) => fragments.join(''));

describe('mayHoldSecret', () => {
  it.each([
    'hello world',
    'The password is wrong, and so is the token.',
    'At 12:30 we left (see notes/today.md), a well-known place - or so they say. 1 + 1 = 2',
    'Ünïcode 漢字 \u{1F600} development-environment getElementById',
    'allow book_room(city=Lisbon, nights=2, notes=none)',
  ])('[SAFE6] skips the scan of %j', (plain) => {
    expect(mayHoldSecret(plain)).toBe(false);
  });

  it.each([
    'pass+:hunter2',
    'pass_wd=hunter2',
    'api-k-ey=hunter2',
    'to\u212Aen=hunter2',
    'pw=hunter2',
    '_auth=hunter2',
  ])('[SAFE6] scans %j', (named) => {
    expect(mayHoldSecret(named)).toBe(true);
  });

  it('[SAFE6] is never false for a text in which the scanner masks or expects a secret', () => {
    fc.assert(
      fc.property(text, (candidate) => {
        fc.pre(!mayHoldSecret(candidate));
        const kinds = new Set<string>();
        const scanner = createSecretScanner((kind) => kinds.add(kind));
        scanner.push(candidate);
        expect(scanner.end().kind).not.toBe('value');
        expect([...kinds].filter((kind) => kind !== 'shown')).toEqual([]);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[SAFE6] does not change the output, which equals that of a stream that is always scanned', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const display = createChunkMasker();
        expect(maskText(whole).value).toBe(display.push(whole) + display.end());
        const chat = createChunkMasker({ form: 'chat' });
        expect(maskSecrets(whole)).toBe(chat.push(whole) + chat.end());
      }),
      { numRuns: scaled(500) },
    );
  });
});
