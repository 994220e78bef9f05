import { expect, it } from 'vitest';
import { createGroupCommit } from './group-commit.js';

/** A disk whose syncs complete when the test tells them to. */
function slowDisk() {
  const syncs: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const said: string[] = [];
  let appends = 0;
  const group = createGroupCommit({
    append: () => void (appends += 1),
    sync: () => new Promise((resolve, reject) => void syncs.push({ resolve, reject })),
    undo: (isUnsynced) => void said.push(isUnsynced ? 'undo unsynced' : 'undo'),
  });
  const step = (name: string): void => {
    group.open();
    look(name);
  };
  const look = (name: string): void =>
    group.after(
      () => said.push(name),
      () => said.push(`${name} lost`),
    );
  const turn = () => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
  return { step, look, said, syncs, turn, appends: () => appends };
}

it('[STORE1] groups gather during a sync, and the next sync covers all of them', async () => {
  const { step, look, said, syncs, turn, appends } = slowDisk();
  step('1');
  step('2');
  await turn();
  look('after 2');
  step('3');
  await turn();
  step('4');
  await turn();
  look('after 4');
  expect([appends(), syncs.length, said]).toEqual([3, 1, []]);
  syncs[0]?.resolve();
  await turn();
  expect(said).toEqual(['1', '2', 'after 2']);
  expect(syncs).toHaveLength(2);
  syncs[1]?.resolve();
  await turn();
  expect(said.slice(3)).toEqual(['3', '4', 'after 4']);
  look('now');
  expect(said.at(-1)).toBe('now');
});

it('[STORE1] a failed sync fails everything it covered and everything after it, in order', async () => {
  const { step, said, syncs, turn } = slowDisk();
  step('1');
  await turn();
  step('2');
  await turn();
  step('3');
  syncs[0]?.reject(new Error('no disk'));
  await turn();
  expect(said).toEqual(['undo unsynced', '1 lost', '2 lost', '3 lost']);
  step('4');
  await turn();
  syncs[1]?.resolve();
  await turn();
  expect(said.at(-1)).toBe('4');
});
