import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import type { CallStatus } from '../ports/index.js';
import { isSettled, nextStep, type TurnSituation } from './next-step.js';

type Call = TurnSituation['invocations'][number];

const RUNS = scaled(2_000, 200);
const EPOCH = 3;
const STATUSES: readonly CallStatus[] = ['asked', 'approved', 'started', 'succeeded', 'failed', 'denied'];

const anyCall: fc.Arbitrary<Omit<Call, 'id'>> = fc.record({
  status: fc.constantFrom(...STATUSES),
  runBy: fc.constantFrom('here', 'client'),
  readOnly: fc.boolean(),
  startedEpoch: fc.constantFrom(null, EPOCH - 1, EPOCH),
});

const anySituation: fc.Arbitrary<TurnSituation> = fc.record({
  turn: fc.record({
    state: fc.constantFrom('queued', 'open', 'waiting', 'ended'),
    iteration: fc.nat(5),
    epoch: fc.constant(EPOCH),
  }),
  invocations: fc.array(anyCall, { maxLength: 8 }).map((calls) => calls.map((call, at) => ({ ...call, id: `c${at}` }))),
  limits: fc.record({
    maxIterations: fc.integer({ min: 1, max: 6 }),
    maxParallelTools: fc.integer({ min: 1, max: 4 }),
  }),
});

function check(property: (situation: TurnSituation) => void): void {
  fc.assert(fc.property(anySituation, property), { numRuns: RUNS });
}

describe('nextStep, for random situations', () => {
  it('[TURN5] calls the model when every call has settled and never before', () => {
    check((situation) => {
      const { turn, invocations, limits } = situation;
      const step = nextStep(situation);
      const mayGoOn = turn.state === 'open' || turn.state === 'waiting';
      const settled = mayGoOn && invocations.every((call) => isSettled(call.status));
      expect(step.kind === 'call-model').toBe(settled && turn.iteration < limits.maxIterations);
    });
  });

  it('[TURN10] gives up exactly when the limit of model calls is reached', () => {
    check((situation) => {
      const { turn, invocations, limits } = situation;
      const mayGoOn = turn.state === 'open' || turn.state === 'waiting';
      const settled = mayGoOn && invocations.every((call) => isSettled(call.status));
      expect(nextStep(situation).kind === 'give-up').toBe(settled && turn.iteration >= limits.maxIterations);
    });
  });

  it('[TURN4] [CALL15] starts only approved calls, never a pending, denied, running or settled one', () => {
    check((situation) => {
      const step = nextStep(situation);
      if (step.kind !== 'start') return;
      expect(step.invocationIds).not.toEqual([]);
      expect(new Set(step.invocationIds).size).toBe(step.invocationIds.length);
      for (const id of step.invocationIds) {
        expect(situation.invocations.find((call) => call.id === id)?.status).toBe('approved');
      }
    });
  });

  it('[TURN9] never starts a call while one that writes is running, and never exceeds the parallel limit', () => {
    check((situation) => {
      const step = nextStep(situation);
      if (step.kind !== 'start') return;
      const together = situation.invocations.filter(
        (call) => call.status === 'started' || step.invocationIds.includes(call.id),
      );
      expect(together.length === 1 || together.every((call) => call.readOnly)).toBe(true);
      expect(together.length).toBeLessThanOrEqual(Math.max(1, situation.limits.maxParallelTools));
    });
  });

  it('[TURN9] starts calls in request order', () => {
    check((situation) => {
      const step = nextStep(situation);
      if (step.kind !== 'start') return;
      const approved = situation.invocations.filter((call) => call.status === 'approved').map((call) => call.id);
      expect(step.invocationIds).toEqual(approved.slice(0, step.invocationIds.length));
    });
  });

  it('[TURN8] [STORE3] takes over calls of a dead process before it starts anything', () => {
    check((situation) => {
      const step = nextStep(situation);
      const { turn, invocations } = situation;
      const orphans = invocations.filter(
        (call) => call.status === 'started' && call.runBy === 'here' && call.startedEpoch !== EPOCH,
      );
      const mayGoOn = turn.state === 'open' || turn.state === 'waiting';
      const taken = step.kind === 'take-over' ? step.invocationIds : [];
      expect(taken).toEqual(mayGoOn ? orphans.map((call) => call.id) : []);
    });
  });

  it('[CALL9] waits only for a person or a client, and is deterministic', () => {
    check((situation) => {
      const step = nextStep(situation);
      expect(nextStep(structuredClone(situation))).toEqual(step);
      if (step.kind !== 'wait') return;
      const { invocations } = situation;
      const owed = invocations.some(
        (call) => call.status === 'asked' || (call.status === 'started' && call.runBy === 'client'),
      );
      expect(owed).toBe(true);
      expect(invocations.some((call) => call.status === 'started' && call.runBy === 'here')).toBe(false);
    });
  });
});

/** How the environment responds to a call, generated in advance so that a run can be replayed. */
interface Fate {
  approve: boolean;
  succeed: boolean;
  /** The process dies before it reports the end of the call. */
  crash: boolean;
  idempotent: boolean;
}

const anyFate: fc.Arbitrary<Fate> = fc.record({
  approve: fc.boolean(),
  succeed: fc.boolean(),
  crash: fc.boolean(),
  idempotent: fc.boolean(),
});

describe('nextStep, run until the turn ends', () => {
  it('[TURN4] [TURN5] [CALL8] ends every turn: each call is settled once, no call runs twice, and the model is called once per tool turn', () => {
    const anyAnswer = fc.array(fc.tuple(anyCall, anyFate), { maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(anyAnswer, { maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        (answers, maxIterations, maxParallelTools) => {
          const end = follow(answers, { maxIterations, maxParallelTools });
          expect(end.modelCalls).toBe(Math.min(maxIterations, answers.length + 1));
          for (const [id, starts] of end.starts) {
            // Each crash may repeat idempotent calls, and nothing else.
            expect(starts).toBeLessThanOrEqual(end.fates.get(id)?.idempotent === true ? 1 + end.deaths : 1);
            expect(end.wasDenied.has(id)).toBe(false);
          }
          expect(end.settlements).toBe(answers.slice(0, maxIterations).flat().length);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** Simulates an environment for `nextStep`: executes each step, and supplies what it waits for. */
function follow(answers: readonly (readonly [Omit<Call, 'id'>, Fate])[][], limits: TurnSituation['limits']) {
  const starts = new Map<string, number>();
  const fates = new Map<string, Fate>();
  const wasDenied = new Set<string>();
  let turn: TurnSituation['turn'] = { state: 'open', iteration: 0, epoch: 1 };
  let calls: Call[] = [];
  let modelCalls = 0;
  let settlements = 0;
  let deaths = 0;
  const set = (id: string, change: Partial<Call>): void => {
    calls = calls.map((call) => (call.id === id ? { ...call, ...change } : call));
    if (change.status !== undefined && isSettled(change.status)) settlements += 1;
  };
  const end = (id: string): void => {
    const fate = fates.get(id);
    if (fate === undefined) throw new Error(`no fate for ${id}`);
    if (!fate.crash) return set(id, { status: fate.succeed ? 'succeeded' : 'failed' });
    // The call crashes once; its second run succeeds.
    fates.set(id, { ...fate, crash: false });
    deaths += 1;
    turn = { ...turn, epoch: turn.epoch + 1 };
  };
  for (let steps = 0; turn.state !== 'ended'; steps += 1) {
    if (steps > 500) throw new Error(`no end in sight: ${JSON.stringify({ turn, calls })}`);
    const step = nextStep({ turn, invocations: calls, limits });
    switch (step.kind) {
      case 'call-model': {
        modelCalls += 1;
        const answer = answers[turn.iteration];
        if (answer === undefined) {
          turn = { ...turn, state: 'ended' };
          break;
        }
        turn = { ...turn, iteration: turn.iteration + 1 };
        calls = answer.map(([call, fate], at) => {
          const id = `${turn.iteration}.${at}`;
          fates.set(id, fate);
          return { ...call, id, status: call.status === 'asked' ? 'asked' : 'approved', startedEpoch: null };
        });
        break;
      }
      case 'start':
        for (const id of step.invocationIds) {
          starts.set(id, (starts.get(id) ?? 0) + 1);
          set(id, { status: 'started', startedEpoch: turn.epoch });
        }
        break;
      case 'await-tools': {
        const running = calls.find((call) => call.status === 'started' && call.runBy === 'here');
        if (running === undefined) throw new Error('waits for a tool, and none runs');
        end(running.id);
        break;
      }
      case 'take-over':
        for (const id of step.invocationIds) {
          set(
            id,
            fates.get(id)?.idempotent === true ? { status: 'approved', startedEpoch: null } : { status: 'failed' },
          );
        }
        break;
      case 'wait': {
        const owed = calls.find((call) => call.status === 'asked' || call.status === 'started');
        if (owed === undefined) throw new Error('waits for someone, and nobody owes an answer');
        if (owed.status === 'started') set(owed.id, { status: 'succeeded' });
        else if (fates.get(owed.id)?.approve === true) set(owed.id, { status: 'approved' });
        else {
          wasDenied.add(owed.id);
          set(owed.id, { status: 'denied' });
        }
        break;
      }
      case 'give-up':
        turn = { ...turn, state: 'ended' };
        break;
      case 'leave':
        throw new Error('left a turn that is not over');
    }
  }
  return { modelCalls, starts, fates, wasDenied, settlements, deaths };
}
