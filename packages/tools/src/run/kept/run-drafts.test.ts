import { expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { runDrafts } from './run-drafts.js';

const place = { folder: '/nonexistent', flock: '/usr/bin/flock' };
const base = { kind: 'bubblewrap', program: '/usr/bin/bwrap', sizeArguments: [] } as const;
const overlay = { how: 'bubblewrap', program: '/usr/bin/bwrap', ...place } as const;

it.each<[string, Sandbox, string]>([
  ['macOS', { kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec' }, 'use a Linux VM'],
  ['a system without a sandbox', { kind: 'none', reason: 'no bubblewrap' }, 'no bubblewrap'],
  [
    'a system without overlays',
    { ...base, userNamespace: ['--unshare-user'], drafting: { how: 'copy', reason: 'no mount', ...place } },
    'no overlay can be mounted (no mount)',
  ],
  ['a system without user namespaces', { ...base, userNamespace: [], drafting: overlay }, 'user namespaces'],
  ['an old bubblewrap', { ...base, userNamespace: ['--unshare-user'], drafting: overlay }, 'Update bubblewrap'],
])('[RUN4.2] refuses %s, and says what helps', (_, sandbox, sentence) => {
  expect(runDrafts(sandbox, [])).toEqual({ refused: expect.stringContaining(sentence) as string });
});
