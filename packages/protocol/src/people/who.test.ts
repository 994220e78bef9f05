import { expect, it } from 'vitest';
import { readWho, SYSTEM, whoSchema, whoText } from './who.js';

const ada = { kind: 'person', id: 'p1', name: 'Ada Lovelace' } as const;

it('[A16.3] reads back what it stored', () => {
  expect(whoText(ada)).toBe('{"kind":"person","id":"p1","name":"Ada Lovelace"}');
  expect(readWho(whoText(ada))).toEqual(ada);
  expect(readWho(ada)).toBe(ada);
});

it.each(['me', 'browser session 12ab', '{"kind":"person"}', '{', 'null', '{"kind":"person","id":"p1","name":"a\\nb"}'])(
  '[A16.4] %s names no particular person',
  (name) => expect(readWho(name)).toEqual({ kind: 'token', id: '', name }),
);

it('[A16.4] recognizes what older versions recorded for themselves', () => expect(readWho('system')).toBe(SYSTEM));

it.each(['', ' Ada', 'Ada\n', 'A\tda', 'Ada\u202Eecalevol', 'A\u200Bda', 'a'.repeat(201)])(
  '[A16.3] %j is not a name',
  (name) => expect(whoSchema.safeParse({ ...ada, name }).success).toBe(false),
);
