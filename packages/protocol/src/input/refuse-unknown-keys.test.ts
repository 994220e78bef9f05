import { expect, it } from 'vitest';
import { refuseUnknownKeys } from './refuse-unknown-keys.js';

const known = { name: true, readOnly: true };

it('[HTTP1] names the unknown key and suggests what to write instead', () => {
  const refused = (given: object) => () =>
    refuseUnknownKeys(given, known, 'tool "a"', { needsapproval: 'approval: …' });
  expect(refused({ name: 'a', needs_approval: true })).toThrow(
    'tool "a": unknown key "needs_approval". Write approval: … instead.',
  );
  expect(refused({ readonly: true })).toThrow('unknown key "readonly". Write readOnly instead.');
  expect(refused({ colour: 1 })).toThrow('tool "a": unknown key "colour". Known keys: name, readOnly.');
  expect(refused({ constructor: 1 })).toThrow('unknown key "constructor". Known keys:');
  expect(refused({ name: 'a' })).not.toThrow();
});
