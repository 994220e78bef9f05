import { inProcess, type Effect } from '@countersign/protocol';
import { expect, it } from 'vitest';
import type { SignedEvidence } from './prepared-call.js';
import { whatChanged } from './what-changed.js';

const sandbox = inProcess('none');
const effect = (effectHash: string): { effect: Effect } => ({
  effect: { files: [], leftOut: [], exitCode: 0, output: '', truncated: false, effectHash },
});
const preview = (text: string) => ({ text, truncated: false });
const shown: SignedEvidence = {
  callHash: 'hash',
  workingDirectory: '/w',
  sandbox,
  fingerprint: undefined,
  preview: null,
  rehearsal: null,
  applies: 'call',
};
const changed = (now: Partial<SignedEvidence>, before: Partial<SignedEvidence> = {}) =>
  whatChanged({ ...shown, ...before }, { ...shown, callHash: 'other', ...now });

it('[CALL7.2] names what changed since a call was shown', () => {
  expect(changed({ workingDirectory: '/other' })).toEqual(['folder']);
  expect(changed({ sandbox: { ...sandbox, network: 'listed', hosts: ['example.com'] } })).toEqual(['sandbox']);
  expect(changed({ rehearsal: effect('b') }, { rehearsal: effect('a') })).toEqual(['effect']);
  // A file tool knows its effect without a rehearsal, or shows only a preview, or only signs a fingerprint of the file.
  const file = { preview: preview('+x'), rehearsal: effect('a') };
  expect(changed({ preview: preview('+y'), rehearsal: effect('b') }, file)).toEqual(['content']);
  expect(changed({ preview: preview('+y') }, { preview: preview('+x') })).toEqual(['content']);
  expect(changed({ fingerprint: 'b' }, { fingerprint: 'a' })).toEqual(['content']);
  // The hash covers the definition of the tool, and nothing else of it is shown.
  expect(changed({})).toEqual(['tool']);
  expect(changed({ callHash: 'hash' })).toEqual(['rules']);
  expect(changed({ workingDirectory: '/other', sandbox: inProcess('all') })).toEqual(['folder', 'sandbox']);
});
