import fc from 'fast-check';
import type { Command } from './lab-commands.js';
import { CALL_KINDS, type CallKind } from './lab-tools.js';
import type { LabSettings } from './lab.js';

const addressee = fc.constantFrom(
  'nobody' as const,
  'ada' as const,
  'ben' as const,
  'both' as const,
  'stranger' as const,
);
const chat = fc.constantFrom(0 as const, 0 as const, 1 as const);
const pick = fc.nat(5);
/** Usually waits until everything has settled; otherwise, the next command interrupts it. */
const ticks = fc.oneof({ arbitrary: fc.constant('all' as const), weight: 3 }, { arbitrary: fc.nat(120), weight: 2 });

const reply = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      calls: fc.array(
        fc.record({
          tool: fc.constantFrom(...CALL_KINDS),
          n: fc.nat(1),
          vendorId: fc.constantFrom('', 'same', 'call_1'),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ kind: fc.constant('say' as const), to: addressee }), weight: 2 },
  { arbitrary: fc.constantFrom({ kind: 'pass' as const }, { kind: 'empty' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      failure: fc.constantFrom('bad-request' as const, 'overloaded' as const),
    }),
    weight: 1,
  },
);

const decide = fc.record({
  do: fc.constant('decide' as const),
  pick,
  decision: fc.constantFrom('approve' as const, 'approve' as const, 'deny' as const),
  scope: fc.constantFrom('once' as const, 'once' as const, 'session' as const, 'always' as const),
  how: fc.constantFrom(
    'plain' as const,
    'plain' as const,
    'plain' as const,
    'by-call' as const,
    'edited' as const,
    'misedited' as const,
    'stale-hash' as const,
    'stale-turn' as const,
    'foreign-agent' as const,
    'foreign-chat' as const,
    'unknown-id' as const,
  ),
  times: fc.constantFrom(1, 1, 3),
  pending: fc.boolean(),
  ticks,
});

/** Actions of models, tools, people and clients. */
export const talk: fc.WeightedArbitrary<Command>[] = [
  {
    arbitrary: fc.record({ do: fc.constant('send' as const), chat, to: addressee, again: fc.boolean(), ticks }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constant('model' as const), pick, reply, ticks }), weight: 7 },
  { arbitrary: fc.record({ do: fc.constant('tool' as const), pick, ok: fc.boolean(), ticks }), weight: 5 },
  { arbitrary: decide, weight: 6 },
  {
    arbitrary: fc.record({ do: fc.constant('client' as const), pick, ok: fc.boolean(), foreign: fc.boolean(), ticks }),
    weight: 2,
  },
];
/** Other changes to a world. */
export const change: fc.WeightedArbitrary<Command>[] = [
  { arbitrary: fc.record({ do: fc.constant('stop' as const), chat, ticks }), weight: 1 },
  {
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 600, 1_500, 40_000), ticks }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constant('revoke' as const), pick, ticks }), weight: 1 },
  {
    arbitrary: fc.record({
      do: fc.constant('policy' as const),
      rules: fc.constantFrom([], ['deny remove'], ['ask write'], ['allow push', 'deny look']),
      ticks,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ do: fc.constant('move' as const), folder: fc.constantFrom('/harbour', '/dock'), ticks }),
    weight: 1,
  },
];
/** Process crashes and shutdowns, at any moment between two steps or microtasks. */
export const death: fc.WeightedArbitrary<Command>[] = [
  {
    arbitrary: fc.record(
      { do: fc.constant('crash' as const), after: fc.nat(12), again: fc.nat(6), ticks },
      { requiredKeys: ['do', 'after', 'ticks'] },
    ),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constant('restart' as const), ticks }), weight: 1 },
];

export const settings: fc.Arbitrary<LabSettings> = fc.record(
  {
    maxParallelTools: fc.constantFrom(1, 3),
    maxIterations: fc.constantFrom(2, 4),
    approvalTimeoutMs: fc.constant(1_000),
  },
  { requiredKeys: ['maxParallelTools', 'maxIterations'] },
);

const asks = (...tools: readonly CallKind[]): Command => ({
  do: 'model',
  pick: 0,
  reply: { kind: 'calls', calls: tools.map((tool) => ({ tool, n: 0, vendorId: '' })) },
  ticks: 'all',
});
const approves: Command = {
  do: 'decide',
  pick: 0,
  decision: 'approve',
  scope: 'once',
  how: 'plain',
  times: 1,
  pending: true,
  ticks: 'all',
};

/** The first commands of a run. Random commands rarely reach the state in which an approved call waits for another to end. */
export const prelude: fc.Arbitrary<readonly Command[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 5 },
  { arbitrary: fc.constant([asks('write', 'remove', 'sync'), approves]), weight: 2 },
  { arbitrary: fc.constant([asks('tap', 'push', 'look', 'peek')]), weight: 1 },
);
