import type { Subject } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { patternCovers } from './covers-call.js';
import { ANY_CALL, keyOfPattern, keysOfCall } from './grant-keys.js';
import { toMatchable } from '../matchable-call.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };

it.each([
  [null, ''],
  ['*', ''],
  ['a* b', ''],
  ['(', ''],
  ['git commit -m x', '=git\u001Fcommit\u001F-m\u001Fx'],
  ['git *', '^git'],
  ['git c* x', '^git'],
  ['./src/A.ts', '^a.ts'],
  ['Example.com.', '^example.com'],
  ['.', ''],
  ['..', ''],
  ['~', ''],
  ['./a/', ''],
])('[LIMIT3] the pattern %j has the key %j', (pattern, key) => {
  expect(keyOfPattern(pattern)).toBe(key);
});

it('[LIMIT3] looking up grants by key finds every grant that covers the call', () => {
  const name = fc.constantFrom(
    'a',
    'B',
    'a.b',
    'a b',
    '',
    '.',
    '..',
    '~',
    '-x',
    '*',
    'A.B.',
    'x/y',
    './a',
    '../b',
    '/etc/a',
  );
  const path = fc.constantFrom(
    '/srv/project',
    '/srv/project/a',
    '/srv/project/x/B',
    '/srv',
    '/',
    '/home/ann',
    '/etc/a',
    '/srv/b',
  );
  const subject: fc.Arbitrary<Subject> = fc.oneof(
    fc.array(name, { maxLength: 3 }).map((words): Subject => ({ kind: 'words', words })),
    path.map((one): Subject => ({ kind: 'path', path: one })),
    fc.constantFrom('a', 'a.b', 'A.B', 'a.b.').map((host): Subject => ({ kind: 'host', host })),
    fc.constant<Subject>({ kind: 'dynamic', why: '' }),
    fc.constant<Subject>({ kind: 'words', words: ['q'], inner: true }),
  );
  const word = fc.constantFrom(
    'a',
    'B',
    'a.b',
    "'a b'",
    "''",
    '.',
    '..',
    '~',
    '-x',
    '*',
    "'*'",
    'A.B.',
    'x/y',
    './a',
    './*',
    './**',
    '../b',
    '/etc/a',
    '/',
    '~/..',
    '**',
    './x/../a',
    './a/.',
  );
  const pattern = fc.array(word, { maxLength: 3 }).map((words) => words.join(' '));
  let covered = 0;
  fc.assert(
    fc.property(pattern, fc.array(subject, { maxLength: 2 }), (text, subjects) => {
      if (!patternCovers(text, toMatchable({ tool: 'x', subjects, place }))) return;
      covered += 1;
      expect([ANY_CALL, ...keysOfCall(subjects)]).toContain(keyOfPattern(text));
    }),
    { numRuns: 20_000 },
  );
  expect(covered).toBeGreaterThan(200);
});
