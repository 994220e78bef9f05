import { createFakeClock } from '@countersign/core/testing';
import { shellCmd } from '@countersign/tools';
import { expect, it } from 'vitest';
import { externalWorlds, W } from './testing/external-worlds.js';

const { open } = externalWorlds();
const FOLDER = '/home/ada/project';
const runs = (context?: object) =>
  ({ where: 'program', cwd: FOLDER, reports: true, ...(context === undefined ? {} : { context }) }) as const;

const CONTEXT = {
  prompt: '# Deploy it\nwith ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  said: 'I will deploy now.\u001b[2J',
  subagent: 'deployer',
};

it('[EXT1.21] is on the approval as a claim, masked, also if the call needs approval again, and in no hash', async () => {
  const t = await open();
  const { id } = await t.propose({ runs: runs(CONTEXT) });
  await t.propose({ key: 'k2', runs: runs({ ...CONTEXT, said: 'Something else' }) });
  await t.propose({ key: 'k3', runs: runs() });
  const cards = await t.pending();
  expect(cards[0]?.claimedContext).toEqual({
    prompt: '# Deploy it\nwith ghp_‹masked 1: 32 characters›6789',
    said: CONTEXT.said,
    subagent: 'deployer',
  });
  expect(cards[1]?.claimedContext?.said).toBe('Something else');
  expect(cards[2]).not.toHaveProperty('claimedContext');
  expect(new Set(cards.map(({ callHash }) => callHash)).size).toBe(1);
  await t.approve({ arguments: { command: 'rm -rf dist' } });
  const again = (await t.pending()).find(({ toolCallId }) => toolCallId === id);
  expect(again).toMatchObject({ edited: true, claimedContext: cards[0]?.claimedContext });
});

it('[EXT1.21] the same call with another context is the same call', async () => {
  const t = await open();
  const first = await t.propose({ runs: runs(CONTEXT) });
  expect(await t.propose({ runs: runs({ prompt: 'Other' }) })).toEqual(first);
  expect(await t.pending()).toHaveLength(1);
});

it('[EXT1.21] stands beside a prediction, and no rule and no rehearsal record knows it', async () => {
  const none = { kind: 'none', reason: 'left out on purpose' } as const;
  const prediction = { files: [], leftOut: [], exitCode: 0, output: '', truncated: false };
  const rehearsals = {
    rehearse: () => Promise.reject(new Error('never')),
    drop: async () => undefined,
    list: async () => [],
    predict: async () => ({ prediction }),
  };
  const tools = [{ ...shellCmd({ sandbox: none }), rehearsals }];
  const t = await open({ policy: ['deny *(prompt=*)'] }, ':memory:', createFakeClock(), { tools });
  await t.propose({ runs: runs({ prompt: 'Fix it' }) });
  expect(await t.pending()).toMatchObject([{ prediction: { exitCode: 0 }, claimedContext: { prompt: 'Fix it' } }]);
  const audit = await t.runtime.store.read((reader) => reader.lastAudit(W, { limit: 10 }));
  expect(JSON.stringify(audit)).not.toContain('Fix it');
});

it('[EXT1.22] the first prompt is the title of the session, as one line without secrets', async () => {
  const t = await open();
  await t.propose({ runs: runs(CONTEXT) });
  await t.propose({ key: 'k2', runs: runs({ prompt: 'Then this' }) });
  await t.propose({ session: 's2', runs: runs({ prompt: '\u202e \u0007' }) });
  await t.propose({ session: 's3', runs: runs() });
  const titles = (await t.runtime.store.read((reader) => reader.chats(W))).map(({ title }) => title ?? '');
  const usual = 'Claude Code in ~/project';
  expect(titles.toSorted()).toEqual([usual, usual, 'Deploy it with ghp_‹masked 1: 32 characters›6789'].toSorted());
});

it('[EXT1.36] the chat begins with the first prompt, and names the sub-agent of a call that needs no approval', async () => {
  const t = await open({ policy: ['allow claude__Bash(git status)'] });
  const [asking, allowed] = [{ command: 'rm -rf build' }, { command: 'git status' }];
  await t.propose({ runs: runs(CONTEXT), arguments: asking });
  const { subagent } = CONTEXT;
  await t.propose({ key: 'k2', runs: runs({ ...CONTEXT, subagent: `${subagent}” by Ada` }), arguments: allowed });
  await t.propose({ key: 'k3', runs: runs({ prompt: CONTEXT.prompt }), arguments: allowed });
  await t.propose({ key: 'k3', runs: runs(CONTEXT), arguments: allowed });
  const [chat] = await t.runtime.store.read((reader) => reader.chats(W));
  const messages = await t.runtime.store.read((reader) => reader.messages(chat?.id ?? '', { after: 0, limit: 20 }));
  expect(messages.filter(({ role }) => role === 'system').map(({ content }) => content)).toEqual([
    'Claude reports that it was asked “# Deploy it with ghp_‹masked 1: 32 characters›6789”.',
    'Claude reports that its sub-agent “deployer" by Ada” makes the next call.',
  ]);
});
