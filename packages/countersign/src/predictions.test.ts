import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { addAgent, createWorld, setPolicy, updateWorld } from '@countersign/core';
import { createFakeClock, type FakeClock } from '@countersign/core/testing';
import type { Predicted, PredictionContext, Tool } from '@countersign/core/ports';
import { describePrediction, type NewWorld, type NoEffectReason, type Prediction } from '@countersign/protocol';
import { shellCmd } from '@countersign/tools';
import { sharedSandbox } from '../../../tests/support/shared-sandbox.js';
import { describe, expect, it } from 'vitest';
import { call, openAcpWorld } from './testing/acp-world.js';
import { externalWorlds, W } from './testing/external-worlds.js';
import { freshFolder } from './testing/fresh-folder.js';
import { person } from './testing/test-engine.js';

const { open } = externalWorlds();
const inFolder = freshFolder();
const FOLDER = '/home/ada/project';

const FOUND: Prediction = {
  files: [{ path: 'notes.txt', change: 'removed', kind: 'file', bytes: 3 }],
  leftOut: [],
  hidden: 1,
  exitCode: 0,
  output: 'token ghp_abcdefghijklmnopqrstuvwxyz0123456789\n',
  truncated: false,
};

/** `shell_cmd` with a sandbox that predicts what a test says. Rehearsing, keeping or running anything fails the test. */
function predicting(predict: (context: PredictionContext) => Promise<Predicted> = async () => ({ prediction: FOUND })) {
  const asked: { command: string; context: PredictionContext }[] = [];
  const never = (): never => {
    throw new Error('only a prediction was expected');
  };
  const tool: Tool = {
    ...shellCmd({ sandbox: { kind: 'none', reason: 'left out on purpose' } }),
    rehearsals: {
      rehearse: never,
      drop: async () => undefined,
      list: async () => [],
      async predict(args, context) {
        asked.push({ command: (args as { command: string }).command, context });
        return await predict(context);
      },
    },
    execute: never,
  };
  return { tool, asked };
}

/** The world's folder is that of the program. */
async function openPredicting(
  made: ReturnType<typeof predicting>,
  world: Partial<NewWorld> = {},
  { clock = createFakeClock(), ...more }: { clock?: FakeClock; onError?: () => void } = {},
) {
  const findPlace = () => ({ workingDirectory: FOLDER, home: '/root' });
  return await open(world, ':memory:', clock, { tools: [made.tool], findPlace, ...more });
}

/** A clock, and a way to wait until this many predictions have got their time limit. */
function countLimits() {
  const clock = createFakeClock();
  const limits: number[] = [];
  const counting: FakeClock = {
    ...clock,
    after(ms, fire) {
      if (ms === 5_000) limits.push(ms);
      return clock.after(ms, fire);
    },
  };
  const reach = async (count: number): Promise<void> => {
    while (limits.length < count) await setImmediate();
    await setImmediate();
  };
  return { clock: counting, reach };
}

describe('[CHANGE9] a call that another program runs and that needs approval', () => {
  it('[CHANGE9] [CHANGE9.1] [TURN2] is shown with what a rehearsal did, which nobody signs, keeps or applies', async () => {
    const made = predicting();
    const t = await openPredicting(made);
    const { id } = await t.propose();
    const [card] = await t.pending();
    expect(made.asked).toMatchObject([
      { command: 'rm -rf build', context: { workingDirectory: FOLDER, folder: FOLDER } },
    ]);
    expect(card).toMatchObject({ prediction: { files: FOUND.files, hidden: 1 } });
    expect(card?.prediction?.output).toContain('masked');
    expect(card?.prediction).not.toHaveProperty('effectHash');
    expect(card).not.toHaveProperty('effect');
    expect(card).not.toHaveProperty('noEffect');
    expect(t.events[0]).toMatchObject({ type: 'TOOL_REHEARSED', predicted: true });
    expect(t.events[0]).not.toHaveProperty('effect_hash');
    const audit = await t.runtime.store.read((reader) => reader.lastAudit(W, { limit: 10 }));
    const [record, ...others] = audit.filter(({ kind }) => kind === 'rehearsal');
    expect(others).toEqual([]);
    expect(record).toMatchObject({ why: 'Probably removes 1 file' });
    expect(record).not.toHaveProperty('effectHash');
    await t.approve();
    expect(await t.claim(id)).toMatchObject({ state: 'allowed', arguments: { command: 'rm -rf build' } });
    expect(made.asked).toHaveLength(1);
  });

  it('[CHANGE9.1] [CALL7.1] has the same signature with another prediction, and without one', async () => {
    const found: Predicted[] = [
      { prediction: FOUND },
      { prediction: { ...FOUND, exitCode: 1 } },
      { noEffect: { reason: 'conflict' } },
    ];
    const made = predicting(async () => found[made.asked.length - 1] ?? { noEffect: { reason: 'failed' } });
    const t = await openPredicting(made);
    for (const key of ['k1', 'k2', 'k3']) await t.propose({ key });
    const cards = await t.pending();
    expect(cards.map(({ prediction }) => prediction?.exitCode)).toEqual([0, 1, undefined]);
    expect(new Set(cards.map(({ callHash }) => callHash)).size).toBe(1);
  });

  it('[CHANGE9.2] is not rehearsed if a rule denies or allows it', async () => {
    const made = predicting();
    const t = await openPredicting(made, { policy: ['allow claude__Bash(ls)', 'deny shell_cmd(rm *)'] });
    expect(await t.claim((await t.propose()).id)).toMatchObject({ state: 'denied' });
    expect(await t.claim((await t.propose({ key: 'k2', command: 'ls' })).id)).toMatchObject({ state: 'allowed' });
    expect(made.asked).toEqual([]);
    expect(t.events.map(({ type }) => type)).not.toContain('TOOL_REHEARSED');
  });

  it('[CHANGE9.2] is allowed or denied by no rule about effects, whatever the prediction says', async () => {
    const nothing: Prediction = { ...FOUND, files: [] };
    const made = predicting(async () => ({ prediction: nothing }));
    const policy = ['allow shell_cmd writing ** removing **', 'deny shell_cmd removing *'];
    const t = await openPredicting(made, { policy, mode: 'auto' });
    const { id } = await t.propose({ command: 'touch a' });
    expect(await t.claim(id)).toMatchObject({ state: 'pending' });
    expect((await t.pending())[0]).toMatchObject({ prediction: { files: [] } });
    await setPolicy(t.runtime, W, ['allow shell_cmd removing nothing'], person);
    expect(await t.claim(id)).toMatchObject({ state: 'pending' });
    await expect(setPolicy(t.runtime, W, ['allow claude__Bash writing **'], person)).rejects.toThrow(
      expect.objectContaining({ code: 'invalid' }),
    );
  });

  it('[CHANGE9.2] [RULE10.3] needs approval because of a deny rule about effects, whatever is predicted or allows it', async () => {
    for (const files of [FOUND.files, []]) {
      const made = predicting(async () => ({ prediction: { ...FOUND, files } }));
      const policy = ['allow claude__Bash(rm -rf build)', 'deny shell_cmd removing *'];
      const t = await openPredicting(made, { policy });
      const { id } = await t.propose();
      expect(await t.claim(id)).toMatchObject({ state: 'pending' });
      expect(await t.pending()).toMatchObject([{ reason: { code: 'effect-unknown' }, prediction: { files } }]);
      await t.approve();
      expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
    }
  });

  it.each<[NoEffectReason, () => Promise<Predicted>]>([
    ['failed', () => Promise.reject(new Error('no space left'))],
    ['no-sandbox', async () => ({ noEffect: { reason: 'no-sandbox' } })],
    ['other-folder', async () => ({ noEffect: { reason: 'other-folder' } })],
  ])('[CHANGE9.3] needs approval without a prediction, and says why: %s', async (reason, predict) => {
    const t = await openPredicting(predicting(predict), {}, { onError: () => undefined });
    const { id } = await t.propose();
    const [card] = await t.pending();
    expect(card).toMatchObject({ noEffect: { reason } });
    expect(card).not.toHaveProperty('prediction');
    await t.approve();
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
  });

  it('[CHANGE9.3] is asked about after five seconds, if the rehearsal doesn’t end or has to wait', async () => {
    const made = predicting(() => new Promise(() => undefined));
    const { clock, reach } = countLimits();
    const t = await openPredicting(made, {}, { clock });
    const proposed = ['k1', 'k2', 'k3'].map((key) => t.propose({ key, session: key }));
    await reach(3);
    clock.advance(4_999);
    await setImmediate();
    expect(await t.pending()).toEqual([]);
    clock.advance(1);
    await Promise.all(proposed);
    expect(made.asked).toHaveLength(2);
    expect(made.asked.every(({ context }) => context.signal.aborted)).toBe(true);
    const late = (await t.pending()).map(({ noEffect }) => String(noEffect?.reason));
    expect(late.toSorted()).toEqual(['busy', 'too-long', 'too-long']);
  });

  it('[CHANGE9.3] [CHANGE6.6] keeps its place in the queue until its rehearsal has ended, also after five seconds', async () => {
    const ends: (() => void)[] = [];
    const made = predicting(() => new Promise((resolve) => ends.push(() => resolve({ prediction: FOUND }))));
    const { clock, reach } = countLimits();
    const t = await openPredicting(made, {}, { clock });
    const propose = async (key: string, count: number) => {
      const proposed = t.propose({ key });
      await reach(count);
      clock.advance(5_000);
      await proposed;
    };
    for (const [at, key] of ['k1', 'k2', 'k3'].entries()) await propose(key, at + 1);
    expect(made.asked).toHaveLength(2);
    const reasons = (await t.pending()).map(({ noEffect }) => String(noEffect?.reason));
    expect(reasons.toSorted()).toEqual(['busy', 'too-long', 'too-long']);
    ends[0]?.();
    await propose('k4', 4);
    expect(made.asked).toHaveLength(3);
    clock.advance(60_000);
    for (const [at, key] of ['k5', 'k6'].entries()) await propose(key, at + 5);
    expect(made.asked).toHaveLength(5);
  });

  it('[CHANGE6.6] doesn’t wait for an agent with the same name in another world', async () => {
    const made = predicting(() => new Promise(() => undefined));
    const t = await openPredicting(made);
    await createWorld(t.runtime, { name: 'Lighthouse' }, person);
    const claude = { name: 'Claude', provider: 'external', model: 'claude', tools: ['claude__*'] };
    await addAgent(t.runtime, 'lighthouse', claude, person);
    const proposed = ['k1', 'k2'].map((key) => t.propose({ key, session: key }));
    while (made.asked.length < 2) await setImmediate();
    const other = t.propose({ worldId: 'lighthouse' });
    for (let left = 1_000; made.asked.length < 3 && left > 0; left -= 1) await setImmediate();
    expect(made.asked).toHaveLength(3);
    t.clock.advance(5_000);
    await Promise.all([...proposed, other]);
  });

  it('[CHANGE9] [EXT2.6] refuses another call with the same key that arrives during the rehearsal', async () => {
    const ends: (() => void)[] = [];
    const made = predicting(() => new Promise((resolve) => ends.push(() => resolve({ prediction: FOUND }))));
    const t = await openPredicting(made);
    await t.propose({ key: 'k0', toolName: 'claude__Read', arguments: { file_path: 'a' } });
    const proposed = Promise.allSettled(['ls', 'rm -rf /'].map((command) => t.propose({ command })));
    while (ends.length < 2) await setImmediate();
    for (const end of ends) end();
    const outcomes = await proposed;
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'conflict' } }]);
    expect(await t.pending()).toHaveLength(2);
  });

  it('[CHANGE9.3] is not rehearsed if the world doesn’t rehearse, or the folder is unknown', async () => {
    const made = predicting();
    const t = await openPredicting(made);
    await t.propose({ runs: { where: 'program', reports: true } });
    await updateWorld(t.runtime, W, { rehearse: 'off' }, person);
    await t.propose({ key: 'k2' });
    expect((await t.pending()).map(({ noEffect }) => noEffect?.reason)).toEqual(['other-folder', 'off']);
    expect(made.asked).toEqual([]);
  });

  it('[CHANGE9.4] has no prediction unless its arguments say which command runs in that folder', async () => {
    const made = predicting();
    const t = await openPredicting(made);
    const calls: [string, Record<string, unknown>][] = [
      ['claude__Bash', { command: 'ls', cmd: 'rm' }],
      ['claude__Bash', { command: 'ls', shell: '/usr/bin/fish' }],
      ['claude__Bash', { command: 'ls', workdir: 'src', cwd: 'src' }],
      ['claude__Bash', { only_a_title: 'Run ls' }],
      ['claude__Bash', { command: ' ' }],
      ['claude__Read', { file_path: 'notes.txt' }],
      ['codex__read', { command: 'view', path: 'notes.txt' }],
      ['codex__fetch', { command: 'curl', url: 'https://example.org/' }],
    ];
    for (const [key, [toolName, args]] of calls.entries())
      await t.propose({ key: `k${key}`, toolName, arguments: args });
    const cards = await t.pending();
    expect(cards).toHaveLength(calls.length);
    expect(cards.filter(({ prediction, noEffect }) => prediction !== undefined || noEffect !== undefined)).toEqual([]);
    expect(made.asked).toEqual([]);
    await t.propose({ key: 'words', toolName: 'codex__shell', arguments: { command: ['bash', '-c', "echo 'a'"] } });
    expect(made.asked.map(({ command }) => command)).toEqual([`'bash' '-c' 'echo '\\''a'\\'''`]);
    // Codex names some commands by what it takes them for.
    for (const kind of ['search', 'edit', 'fetch'])
      await t.propose({ key: kind, toolName: `codex__${kind}`, arguments: { command: `grep ${kind}` } });
    const found = made.asked.slice(1).map(({ command }) => command);
    expect(found).toEqual(['grep search', 'grep edit', 'grep fetch']);
  });

  it('[CHANGE9] starts in the folder that the call names', async () => {
    const made = predicting();
    const t = await openPredicting(made);
    await t.propose({ toolName: 'codex__exec_command', arguments: { cmd: 'ls', workdir: 'src' } });
    await t.propose({ key: 'k2', arguments: { command: 'ls', cwd: '/home/ada/project/src' } });
    const contexts = made.asked.map(({ context }) => context);
    expect(contexts).toMatchObject([{ folder: FOLDER, named: 'src' }, { named: '/home/ada/project/src' }]);
    expect(await t.pending()).toMatchObject([{ prediction: {} }, { prediction: {} }]);
  });

  it('[CHANGE9.1] [CALL7.4] is not rehearsed again when a person edits or approves it', async () => {
    const made = predicting();
    const t = await openPredicting(made);
    const { id } = await t.propose();
    expect(await t.approve({ arguments: { command: 'rm -rf dist' } })).toMatchObject({ code: 'changed' });
    expect((await t.pending())[0]).not.toHaveProperty('prediction');
    expect(await t.approve()).toMatchObject({ kind: 'recorded' });
    expect(await t.claim(id)).toMatchObject({ state: 'allowed', arguments: { command: 'rm -rf dist' } });
    expect(made.asked).toHaveLength(1);
  });

  it('[CHANGE9.2] hides from the rehearsal what rules deny to either tool, in the folder of either', async () => {
    const made = predicting();
    const policy = ['deny shell_cmd(./secret/**)', 'deny claude__Bash(./private/**)'];
    const t = await openPredicting(made, { policy });
    await t.propose({ command: 'cat *', runs: { where: 'program', cwd: '/home/ada/link', reports: true } });
    const [context] = made.asked.map((one) => one.context);
    expect(context).toMatchObject({ workingDirectory: FOLDER, folder: '/home/ada/link' });
    const hidden = context?.protectedIn(`${FOLDER}/src`);
    const paths = [`${FOLDER}/secret/a`, `${FOLDER}/private/a`, `${FOLDER}/src/private/a`, '/home/ada/link/private/a'];
    expect(paths.map((path) => hidden?.isProtected(path))).toEqual([true, true, true, true]);
    expect(hidden?.isProtected(`${FOLDER}/src/a`)).toBe(false);
    expect(hidden?.mayHold(FOLDER, 'inside')).not.toBe('nothing');
  });

  it('[EXT1.12] [CHANGE9] is not rehearsed if the credential of its program has already ended', async () => {
    const made = predicting();
    const t = await openPredicting(made);
    const proposed = t.propose({ signal: AbortSignal.abort() });
    await expect(proposed).rejects.toThrow('aborted');
    expect(made.asked).toEqual([]);
    expect(await t.pending()).toEqual([]);
  });

  it('[CHANGE9] [EXT3.1] is predicted for an ACP agent that sends the command', async () => {
    const made = predicting();
    const t = await openAcpWorld(inFolder('work'), { tools: [made.tool] });
    await t.tell([{ ask: [call('c1', 'rm -rf build')] }]);
    expect(await t.pending()).toMatchObject([{ toolName: 'fixture__execute', prediction: { files: FOUND.files } }]);
    await t.answer();
    expect(t.read('ran.log')).toEqual(['c1']);
    expect(made.asked.map(({ command }) => command)).toEqual(['rm -rf build']);
    await t.engine.close();
  });
});

it('[CHANGE9.2] hides paths from a real rehearsal if the program names its folder by a link', async () => {
  const sandbox = await sharedSandbox();
  mkdirSync(inFolder('world/src/private'), { recursive: true });
  writeFileSync(inFolder('world/src/private/key'), 'treasure\n');
  symlinkSync('world/src', inFolder('link'));
  const findPlace = () => ({ workingDirectory: inFolder('world'), home: '/root' });
  const policy = ['deny shell_cmd(./private/**)'];
  const t = await open({ policy }, ':memory:', createFakeClock(), { tools: [shellCmd({ sandbox })], findPlace });
  await t.propose({ command: 'cat */key', runs: { where: 'program', cwd: inFolder('link'), reports: true } });
  const [card] = await t.pending();
  expect(card?.noEffect?.reason ?? card?.prediction?.hidden).toBe(sandbox.kind === 'bubblewrap' ? 1 : 'no-sandbox');
  expect(JSON.stringify(card)).not.toContain('treasure');
});

it('[CHANGE9] [CHANGE8.9] predicts a real command where a sandbox with drafts is available, and changes nothing', async () => {
  const sandbox = await sharedSandbox();
  mkdirSync(inFolder('src'));
  writeFileSync(inFolder('src/a.tmp'), 'one\n');
  const findPlace = () => ({ workingDirectory: inFolder('.'), home: '/root' });
  const tools = [shellCmd({ sandbox })];
  const t = await open({}, ':memory:', createFakeClock(), { tools, findPlace });
  await t.propose({
    command: 'rm *.tmp; touch ../new',
    runs: { where: 'program', cwd: inFolder('src'), reports: true },
  });
  const [card] = await t.pending();
  const shown = card?.noEffect?.reason ?? [
    describePrediction(card?.prediction ?? { files: [] }),
    card?.prediction?.files[0]?.path,
  ];
  expect(shown).toEqual(
    sandbox.kind === 'bubblewrap' ? ['Probably removes 1 file, adds 1 file', 'a.tmp'] : 'no-sandbox',
  );
  expect(readdirSync(inFolder('.'))).toEqual(['src']);
  expect(readdirSync(inFolder('src'))).toEqual(['a.tmp']);
});
