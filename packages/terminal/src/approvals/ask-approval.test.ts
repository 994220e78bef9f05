import { ClientError, viewOfApproval, type Client } from '@countersign/client';
import { expect, it } from 'vitest';
import type { CommandContext } from '../context.js';
import type { Keyboard } from '../input/keyboard.js';
import { approvalOf } from '../testing/screen-fixture.js';
import { paintFor } from '../text/paint.js';
import { askApproval } from './ask-approval.js';

it('[CHANGE8.6] h allows the hosts that the call tried to reach, and the call comes back with them', async () => {
  const effect = { files: [], leftOut: [], exitCode: 6, output: '', truncated: false, effectHash: 'e' };
  const approval = approvalOf(1, { effect: { ...effect, triedHosts: ['example.com'] } });
  const sent: unknown[] = [];
  let printed = '';
  const typed = ['h'];
  const prompt = {
    world: 'docks',
    client: {
      decide: (_: string, __: unknown, answer: unknown) => {
        sent.push(answer);
        return Promise.reject(new ClientError('problem', { status: 409, detail: 'shown again', state: 'asked' }));
      },
    } as unknown as Client,
    keyboard: {
      hasEnded: () => false,
      print: (text: string) => (printed += text),
      ask: () => Promise.resolve({ kind: 'line', text: typed.shift() ?? '' }),
    } as unknown as Keyboard,
    context: {
      paint: paintFor({}, { env: {} }),
      columns: () => 80,
      console: { stdout: {} },
    } as unknown as CommandContext,
  };
  const asked = await askApproval(prompt, viewOfApproval(approval), { agentName: 'Ada' }, new AbortController().signal);
  expect(asked).toEqual({ kind: 'replaced' });
  expect(sent).toEqual([{ decision: 'approve', arguments: { command: 'rm scratch-1.tmp', hosts: ['example.com'] } }]);
  expect(printed).toContain('h: allow example.com for this call');
  expect(printed).toContain('shown again');
});
