import { expect, it } from 'vitest';
import type { Token } from '../home/keep-token.js';
import { greeting } from './greeting.js';

const token: Token = {
  value: 'secret',
  source: { kind: 'memory' },
  holder: { kind: 'person', id: 'owner', name: 'ada' },
};
const greeted = { url: 'http://127.0.0.1:4747', start: 'http://127.0.0.1:4747/#ticket=x', token, isTerminal: true };

it('[SAFE1] says in plain sentences why there is no sandbox, what that means and what to do', () => {
  const lines = greeting({ ...greeted, sandbox: { kind: 'none', reason: 'bubblewrap is not installed' } });
  expect(lines.slice(3)).toEqual([
    'Token for programs: secret',
    'No sandbox: bubblewrap is not installed. Nothing stops an approved command from reading and changing your files, using the network or approving its own calls. Run countersign doctor for advice.',
  ]);
});

it('[WHO1] prints a token only to a terminal', () => {
  const lines = greeting({ ...greeted, isTerminal: false, sandbox: { kind: 'sandbox-exec', program: '/x' } });
  expect(lines.slice(3)).toEqual(['Token for programs: set COUNTERSIGN_TOKEN, or start with --json to print one']);
  const saved = { ...token, source: { kind: 'file', path: '/home/ada/token' } } as const;
  expect(greeting({ ...greeted, token: saved, sandbox: { kind: 'sandbox-exec', program: '/x' } }).slice(3)).toEqual([
    'Token for programs: in /home/ada/token',
  ]);
});
