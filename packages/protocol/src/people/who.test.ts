import { expect, it } from 'vitest';
import { readWho, whoSchema, whoText } from './who.js';

const ada = { kind: 'person', id: 'p1', name: 'Ada Lovelace' } as const;

it('[LOG1.3] reads back what it stored', () => {
  expect(whoText(ada)).toBe('{"kind":"person","id":"p1","name":"Ada Lovelace"}');
  expect(readWho(whoText(ada))).toEqual(ada);
});

it.each(['', ' Ada', 'Ada\n', 'A\tda', 'Ada\u202Eecalevol', 'A\u200Bda', 'a'.repeat(201)])(
  '[LOG1.3] %j is not a name',
  (name) => expect(whoSchema.safeParse({ ...ada, name }).success).toBe(false),
);
