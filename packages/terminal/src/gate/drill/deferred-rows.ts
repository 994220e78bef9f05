import { drillRows as names } from '../../words/gate.js';
import { first, nothingRan, ranOnly, type HookKind, type Row, type Stage } from './rows.js';

const approveThenFail =
  (hook: HookKind) =>
  async (stage: Stage): Promise<void> => {
    await stage.approve(first(await stage.pending(1)));
    await stage.resume({ hook });
  };

/** The agent ends while its call waits, and is resumed after the decision. */
export const DEFERRED_ROWS: readonly Row[] = [
  {
    name: names.deferredAllowed,
    commands: ['one'],
    defers: true,
    async play(stage) {
      const approval = first(await stage.pending(1));
      await stage.restartServer();
      await stage.approve(approval);
      await stage.resume();
    },
    held: ranOnly('one'),
  },
  {
    name: names.deferredDenied,
    commands: ['one'],
    defers: true,
    async play(stage) {
      const approval = first(await stage.pending(1));
      await stage.resume();
      await stage.deny(approval);
      await stage.resume();
    },
    held: nothingRan,
  },
  {
    name: names.deferredEdited,
    commands: ['one'],
    defers: true,
    async play(stage) {
      await stage.approve(first(await stage.pending(1)), 'edited');
      await stage.resume();
    },
    held: ranOnly('edited'),
  },
  {
    name: names.deferredParallel,
    commands: ['one', 'two'],
    parallel: true,
    defers: true,
    async play(stage) {
      for (const approval of await stage.pending(2)) {
        const isFirst = JSON.stringify(approval.arguments).includes('one.txt');
        await (isFirst ? stage.deny(approval) : stage.approve(approval));
      }
      await stage.resume();
    },
    // Claude Code resumes only the last of several deferred calls.
    held: ({ runs }) => runs['one'] === 0 && (runs['two'] ?? 0) <= 1,
  },
  {
    name: names.deferredTwice,
    commands: ['one'],
    defers: true,
    async play(stage) {
      await stage.approve(first(await stage.pending(1)));
      await stage.resume({ times: 2 });
      await stage.resume();
    },
    held: ({ runs }) => (runs['one'] ?? 0) <= 1,
  },
  {
    name: names.deferredExits,
    commands: ['one'],
    defers: true,
    play: approveThenFail('exit'),
    held: nothingRan,
  },
  {
    name: names.deferredHalf,
    commands: ['one'],
    defers: true,
    play: approveThenFail('half'),
    held: nothingRan,
  },
  {
    name: names.deferredDown,
    commands: ['one'],
    defers: true,
    server: 'killed',
    async play(stage) {
      await stage.approve(first(await stage.pending(1)));
      await stage.killServer();
      await stage.resume();
    },
    held: nothingRan,
  },
  {
    name: names.deferredBypass,
    commands: ['one'],
    defers: true,
    bypass: true,
    play: approveThenFail('exit'),
    held: nothingRan,
  },
];
