import { describe, expect, it } from 'vitest';
import type { CallStatus, TurnState } from '../ports/index.js';
import { nextStep, type TurnSituation } from './next-step.js';

type Call = TurnSituation['invocations'][number];
const EPOCH = 3;

/** `r` is read-only, `c` runs in a client, `x` was started by a dead process: `'r:approved'`, `'started'`, `'x:started'`. */
function situation(calls: readonly string[], more: { state?: TurnState; iteration?: number; parallel?: number } = {}) {
  const invocations = calls.map((text, index): Call => {
    const [marks, status] = text.includes(':') ? text.split(':') : ['', text];
    return {
      id: `${index}`,
      status: status as CallStatus,
      runBy: marks?.includes('c') === true ? 'client' : 'here',
      readOnly: marks?.includes('r') === true,
      startedEpoch: status === 'started' ? (marks?.includes('x') === true ? EPOCH - 1 : EPOCH) : null,
    };
  });
  return {
    turn: { state: more.state ?? 'open', iteration: more.iteration ?? (calls.length > 0 ? 1 : 0), epoch: EPOCH },
    invocations,
    limits: { maxIterations: 3, maxParallelTools: more.parallel ?? 2 },
  } satisfies TurnSituation;
}
const start = (...invocationIds: string[]) => ({ kind: 'start', invocationIds });
const takeOver = (...invocationIds: string[]) => ({ kind: 'take-over', invocationIds });

describe('nextStep', () => {
  it.each<[string, string[], object]>([
    ['a new turn', [], { kind: 'call-model' }],
    ['[TURN5] all settled', ['succeeded', 'failed', 'denied'], { kind: 'call-model' }],
    ['[TURN5] one still waiting for approval', ['succeeded', 'asked'], { kind: 'wait' }],
    ['[TURN5] one still running', ['succeeded', 'started'], { kind: 'await-tools' }],
    ['[TURN5] one running while another waits for approval', ['asked', 'started'], { kind: 'await-tools' }],
    ['[TURN5] one running in a client', ['c:started', 'succeeded'], { kind: 'wait' }],
    ['[TURN9] the first of two that may run', ['approved', 'approved'], start('0')],
    ['[TURN9] the second while the first runs', ['started', 'approved'], { kind: 'await-tools' }],
    ['[TURN9] the second once the first has ended', ['failed', 'approved'], start('1')],
    [
      '[TURN9] read-only calls run in parallel up to the limit',
      ['r:approved', 'r:approved', 'r:approved'],
      start('0', '1'),
    ],
    [
      '[TURN9] a third read-only call while two are running',
      ['r:started', 'r:started', 'r:approved'],
      { kind: 'await-tools' },
    ],
    ['[TURN9] one more read-only call while one is running', ['r:started', 'r:approved', 'r:approved'], start('1')],
    [
      '[TURN9] a read-only call does not overtake a call that writes',
      ['r:approved', 'approved', 'r:approved'],
      start('0'),
    ],
    ['[TURN9] a call that writes waits for read-only calls', ['r:started', 'approved'], { kind: 'await-tools' }],
    ['[TURN9] a read-only call waits for a call that writes', ['started', 'r:approved'], { kind: 'await-tools' }],
    ['[TURN8] calls of a dead process are settled before others start', ['x:started', 'approved'], takeOver('0')],
    [
      '[TURN8] all calls of a dead process are settled together',
      ['x:started', 'rx:started', 'started'],
      takeOver('0', '1'),
    ],
    ['a client call outlives the process that forwarded it', ['cx:started'], { kind: 'wait' }],
    ['an approved call next to a pending one', ['asked', 'approved'], start('1')],
  ])('%s: %j', (_, calls, step) => {
    expect(nextStep(situation(calls))).toEqual(step);
  });

  it.each<TurnState>(['ended', 'queued'])('ignores a turn that is %s, whatever its calls are', (state) => {
    expect(nextStep(situation(['approved', 'x:started'], { state }))).toEqual({ kind: 'leave' });
  });

  it('a waiting turn continues as soon as its last call is settled', () => {
    expect(nextStep(situation(['denied'], { state: 'waiting' }))).toEqual({ kind: 'call-model' });
  });

  it('[TURN10] gives up when the next model call would exceed the limit, and not earlier', () => {
    expect(nextStep(situation(['succeeded'], { iteration: 2 }))).toEqual({ kind: 'call-model' });
    expect(nextStep(situation(['succeeded'], { iteration: 3 }))).toEqual({ kind: 'give-up' });
    expect(nextStep(situation(['started'], { iteration: 3 }))).toEqual({ kind: 'await-tools' });
  });

  it('[EXT3.2] [EXT3.12] starts every allowed call of an ACP agent, and sets it no limit of model calls', () => {
    const acp = (calls: string[], more = {}) => ({ ...situation(calls, more), isAcp: true });
    expect(nextStep(acp(['started', 'approved', 'asked', 'approved', 'approved']))).toEqual(start('1', '3', '4'));
    expect(nextStep(acp(['started', 'asked']))).toEqual({ kind: 'await-tools' });
    expect(nextStep(acp(['succeeded'], { iteration: 3 }))).toEqual({ kind: 'call-model' });
  });

  it('[TURN9] with a parallel limit of one, read-only calls run one after another', () => {
    expect(nextStep(situation(['r:approved', 'r:approved'], { parallel: 1 }))).toEqual(start('0'));
    expect(nextStep(situation(['r:started', 'r:approved'], { parallel: 1 }))).toEqual({ kind: 'await-tools' });
  });

  it('[TURN9] if the limit is lowered below the number of running calls, no further call starts', () => {
    expect(nextStep(situation(['r:started', 'r:started', 'r:approved'], { parallel: 1 }))).toEqual({
      kind: 'await-tools',
    });
  });
});
