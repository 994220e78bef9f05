import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setPolicy, stopChat, systemClock, updateAgent } from '@countersign/core';
import type { Clock } from '@countersign/core/ports';
import { MAY_ALL } from '@countersign/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { sampled } from '../../../tests/support/scaled.js';
import { call, openAcpWorld, W } from './testing/acp-world.js';
import { freshEngines } from './testing/fresh-engines.js';
import { freshFolder } from './testing/fresh-folder.js';
import { person } from './testing/test-engine.js';

// Registered first, so that the folder is removed after its engines are closed.
const inFolder = freshFolder();
const engines = freshEngines();

async function open(options: Parameters<typeof openAcpWorld>[1] = {}) {
  const t = await openAcpWorld(inFolder('work'), options);
  engines.add(t.engine);
  return t;
}

/** A clock on which timers of these lengths take another time. */
function clockWith(times: Readonly<Record<number, number>>): Clock {
  return {
    now: () => systemClock.now(),
    after: (ms, fire, options) => systemClock.after(times[ms] ?? ms, fire, options),
  };
}

/** A clock on which timers of this length fire only when a test says so. */
function clockHolding(length: number) {
  const held = new Set<() => void>();
  const clock: Clock = {
    now: () => systemClock.now(),
    after(ms, fire, options) {
      if (ms !== length) return systemClock.after(ms, fire, options);
      held.add(fire);
      return () => void held.delete(fire);
    },
  };
  const fire = (): void => {
    for (const each of held) each();
    held.clear();
  };
  return { clock, held, fire };
}

/** The ids of the processes that have opened a session. */
const programs = (): readonly number[] =>
  readdirSync(inFolder('work'))
    .flatMap((file) => /^session-(\d+)-/.exec(file)?.[1] ?? [])
    .map(Number);

/** Looks often whether a call is blocked. */
const impatient = clockWith({ 3_000: 5 });
/** Waits long for the second of two requests too, on a slow machine as well. */
const gathering = clockWith({ 25: 2_000, 3_000: 5 });

describe('an ACP agent', () => {
  it('[EXT3] answers in the chat, and shows its thoughts, its plan and what it does without asking', async () => {
    const t = await open();
    await t.tell([
      { think: 'Let me see. ' },
      { plan: [{ content: 'Read the notes', priority: 'high', status: 'in_progress' }] },
      { alone: 'Read notes.md' },
      { say: 'Two ships ' },
      { say: 'are late.' },
    ]);
    const [last] = (await t.messages()).slice(-1);
    expect(last).toMatchObject({ role: 'assistant', content: 'Two ships are late.' });
    const shown = t.streamed.filter(({ type }) => type === 'thinking').map(({ content }) => content);
    for (const words of ['Let me see.', 'Plan:', '[~] Read the notes', 'Read notes.md (without asking)'])
      expect(shown.join('')).toContain(words);
    expect(t.read('ran.log')).toEqual([]);
  });

  it('[EXT3.1] [EXT3.15] asks a person for each call, runs it once after the yes, and reports the result', async () => {
    const t = await open();
    await t.tell([{ say: 'I will clean up. ' }, { ask: [call('c1', 'rm -rf build')] }, { say: 'Done.' }]);
    const [card, ...others] = await t.pending();
    expect(others).toEqual([]);
    expect(card).toMatchObject({
      toolName: 'fixture__execute',
      arguments: { command: 'rm -rf build' },
      workingDirectory: inFolder('work'),
      sandbox: { kind: 'external', detail: 'fixture' },
      editable: false,
      claimedContext: { prompt: expect.stringContaining('rm -rf build') as string, said: 'I will clean up.' },
    });
    expect(t.read('ran.log')).toEqual([]);
    expect(await t.decide(card)).toMatchObject({ kind: 'recorded' });
    expect(await t.decide(card)).toMatchObject({ kind: 'repeated' });
    await t.engine.quiet();
    expect(t.read('ran.log')).toEqual(['c1']);
    expect(t.read('answers.log')).toEqual(['c1 yes']);
    expect(await t.lastText()).toBe('Done.');
    const results = (await t.messages()).filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results.join()).toContain('result of c1');
  });

  it('[EXT3.1] tells the agent no after a denial, and the agent continues', async () => {
    const t = await open();
    await t.tell([{ ask: [call('c1', 'rm -rf build')] }, { say: 'Then not.' }]);
    await t.answer({ decision: 'deny', reason: 'keep it' });
    expect(t.read('answers.log')).toEqual(['c1 no']);
    expect(t.read('ran.log')).toEqual([]);
    expect(await t.lastText()).toBe('Denied. Then not.');
  });

  it('[EXT3.1] fails a call that the agent reports as failed', async () => {
    const t = await open();
    await t.tell([{ ask: [call('c1', 'make', { fails: true })] }, { say: 'It failed.' }]);
    await t.answer();
    const results = (await t.messages()).filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results.join()).toContain('"error":"result of c1"');
  });

  it('[EXT3.2] several calls that the agent asks for at once wait side by side', async () => {
    // The agent starts the first call only after the second decision.
    const t = await open({ clock: gathering });
    await t.tell([{ ask: [call('c1', 'one'), call('c2', 'two')] }, { say: 'Both.' }]);
    const cards = await t.pending();
    expect(cards.map(({ arguments: args }) => args)).toEqual([{ command: 'one' }, { command: 'two' }]);
    for (const card of cards) await t.decide(card);
    await t.engine.quiet();
    expect(t.read('ran.log')).toEqual(['c1', 'c2']);
    expect(await t.lastText()).toBe('Both.');
  });

  it('[EXT3.2] of two calls, only the one with a yes runs', async () => {
    const t = await open({ clock: gathering });
    await t.tell([{ ask: [call('c1', 'one'), call('c2', 'two')] }, { say: 'One.' }]);
    const [first, second] = await t.pending();
    await t.decide(second);
    await t.decide(first, { decision: 'deny' });
    await t.engine.quiet();
    expect(t.read('ran.log')).toEqual(['c2']);
    expect(t.read('answers.log')).toEqual(['c2 yes', 'c1 no']);
    const calls = (await t.messages()).filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(calls.join()).toContain('result of c2');
  });

  it('[EXT3.2] an allowed call waits for the decision about another one, however long it takes', async () => {
    let looks = 0;
    const clock: Clock = {
      ...gathering,
      after: (ms, fire, options) => {
        if (ms === 3_000) looks += 1;
        return gathering.after(ms, fire, options);
      },
    };
    const t = await open({ clock });
    await t.tell([{ ask: [call('c1', 'one'), call('c2', 'two')] }, { say: 'Both.' }]);
    const [first, second] = await t.pending();
    await t.decide(first);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(30), 20_000);
    await t.decide(second);
    await t.engine.quiet();
    expect(t.read('ran.log')).toEqual(['c1', 'c2']);
    const calls = (await t.messages()).filter(({ role }) => role === 'tool').map(({ content }) => content);
    for (const result of ['result of c1', 'result of c2']) expect(calls.join()).toContain(result);
  });

  it.each([
    ['another call', 'c2'],
    ['the same call again', 'c1'],
  ])('[EXT3.2] a call that has started and asks for %s does not keep it from people', async (_, id) => {
    const t = await open({ clock: impatient });
    await t.tell([{ ask: [call('c1', 'outer', { inner: call(id, 'inner') })] }, { say: 'Both.' }]);
    await t.answer();
    expect((await t.pending()).map(({ arguments: args }) => args)).toEqual([{ command: 'inner' }]);
    await t.answer();
    expect(t.read('ran.log')).toEqual([id, 'c1']);
    expect(await t.lastText()).toBe('Both.');
    const results = (await t.messages()).filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results.join()).toContain('not-reported');
    expect(results.join()).toContain(`result of ${id}`);
  });

  it('[EXT3.3] an edited call is refused, and nothing runs', async () => {
    const t = await open();
    await t.tell([{ ask: [call('c1', 'rm -rf build')] }]);
    const outcome = await t.answer({ arguments: { command: 'rm -rf dist' } });
    expect(outcome).toMatchObject({ kind: 'refused', detail: expect.stringContaining("can't be edited") as string });
    expect(t.read('answers.log')).toEqual([]);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[EXT3.4] a call with only a title needs approval under any allow rule, and the card says so', async () => {
    const t = await open({ world: { policy: ['allow fixture__*', 'allow shell_cmd'] } });
    const content = [{ type: 'diff', path: '/srv/notes.md', oldText: 'one\n', newText: 'two\n' }];
    await t.tell([{ ask: [call('c1', undefined)] }, { ask: [call('c2', undefined, { kind: 'edit', content })] }]);
    expect(await t.pending()).toMatchObject([
      {
        toolName: 'fixture__execute',
        arguments: { only_a_title: 'Run c1' },
        reason: { code: 'every-call', cause: { code: 'title-only' } },
        why: 'the agent sent only a title, not the arguments, so every such call needs approval',
        options: ['deny', 'approve_once'],
      },
    ]);
    await t.answer({ decision: 'deny' });
    const [edit] = await t.pending();
    expect(edit).toMatchObject({ toolName: 'fixture__edit', preview: { truncated: false } });
    expect(edit?.preview?.text).toContain('-one\n+two');
    await setPolicy(t.runtime, W, ['deny edit_file(/srv/**)'], person);
    await t.decide(edit);
    await t.engine.quiet();
    expect(t.read('ran.log')).toEqual([]);
  });

  it('[EXT3.5] deny rules of built-in tools apply, their allow rules do not, and a rule for the exact call does', async () => {
    const policy = ['deny shell_cmd(git push *)', 'allow shell_cmd(ls *)', 'allow fixture__execute(git status)'];
    const t = await open({ world: { policy } });
    await t.tell([
      { ask: [call('c1', 'git push origin')] },
      { ask: [call('c2', 'git status')] },
      { ask: [call('c3', 'ls src')] },
    ]);
    expect(t.read('answers.log')).toEqual(['c1 no', 'c2 yes']);
    expect(t.read('ran.log')).toEqual(['c2']);
    expect((await t.pending()).map(({ arguments: args }) => args)).toEqual([{ command: 'ls src' }]);
  });

  it('[EXT3.5] a request without a way to allow it once is refused without asking anybody', async () => {
    const t = await open();
    const options = [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    await t.tell([{ ask: [call('c1', 'rm -rf build', { options })] }]);
    expect(t.read('answers.log')).toEqual(['c1 no']);
    expect(await t.pending()).toEqual([]);
  });
});

describe('the session of an ACP agent', () => {
  it('[EXT3.6] stopping the chat cancels the agent, whether it works or waits', async () => {
    const t = await open();
    await t.tell([{ ask: [call('c1', 'rm -rf build')] }, { say: 'Never said.' }]);
    const [card] = await t.pending();
    await stopChat(t.runtime, W, t.chatId, person);
    await t.engine.quiet();
    expect(await t.decide(card)).not.toMatchObject({ kind: 'recorded' });
    await t.tell('And now?');
    expect(await t.lastText()).toBe('You said: And now?');
    expect(t.read('answers.log')).toEqual(['c1 cancelled']);
    expect(t.read('cancelled.log')).toHaveLength(1);
    expect(t.read('ran.log')).toEqual([]);

    await t.tell([{ hang: true }], { waits: false });
    await until(() => t.read('prompts.log').length === 3);
    await stopChat(t.runtime, W, t.chatId, person);
    await t.engine.quiet();
    await t.tell('Still there?');
    expect(await t.lastText()).toBe('You said: Still there?');
    expect(t.read('cancelled.log')).toHaveLength(2);
  });

  it('[EXT3.6] turning the agent off denies its calls and cancels its work', async () => {
    const t = await open();
    await t.tell([{ ask: [call('c1', 'rm -rf build')] }]);
    const [card] = await t.pending();
    await updateAgent(t.runtime, W, 'coder', { active: false }, person);
    expect(await t.pending()).toEqual([]);
    expect(await t.decide(card)).not.toMatchObject({ kind: 'recorded' });
    await until(() => t.read('answers.log').length === 1);
    expect(t.read('answers.log')).toEqual(['c1 cancelled']);
  });

  it('[EXT3.12] no limit of model calls ends its turn, and the first message is the title', async () => {
    const t = await open({
      world: { maxIterations: 1, policy: ['allow fixture__execute(ls a)', 'allow fixture__execute(ls b)'] },
    });
    await t.tell([{ ask: [call('c1', 'ls a')] }, { ask: [call('c2', 'ls b')] }, { say: 'Both.' }]);
    expect(t.read('ran.log')).toEqual(['c1', 'c2']);
    expect(await t.lastText()).toBe('Both.');
    const chat = await t.runtime.store.read((reader) => reader.chat(t.chatId));
    expect(chat?.title).toContain('[{"ask":');
    expect(t.read('prompts.log')).toHaveLength(1);
  });

  it('[EXT3.7] nothing runs if the program ends while a call waits, and the agent is told', async () => {
    const t = await open();
    await t.tell([{ ask: [call('c1', 'rm -rf build')] }]);
    const { sessionId } = JSON.parse(t.read('prompts.log')[0] ?? '') as { sessionId: string };
    const pid = Number(sessionId.split('-')[1]);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    await t.answer();
    expect(t.read('ran.log')).toEqual([]);
    const prompts = t.read('prompts.log');
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain('Your program was restarted');
    expect(prompts[1]).toContain('Nothing ran');
  });

  it('[EXT3.7] nothing runs if the server restarts while a call waits, and the agent restores its session', async () => {
    const file = inFolder('countersign.db');
    const before = await open({ file, flags: ['--load'] });
    await before.tell([{ ask: [call('c1', 'rm -rf build')] }]);
    await before.engine.close();
    engines.delete(before.engine);
    const after = await open({ file });
    await after.answer();
    expect(after.read('ran.log')).toEqual([]);
    const [first, second] = after.read('prompts.log').map((line) => JSON.parse(line) as Record<string, string>);
    expect(second?.['sessionId']).toBe(first?.['sessionId']);
    expect(after.read('loaded.log')).toEqual([first?.['sessionId']]);
    expect(second?.['words']).toContain('Nothing ran');
    expect(await after.lastText()).not.toContain('an old answer');
  });

  const ends = [
    ['a stop', [{ ask: [call('c1', 'rm -rf build')] }]],
    ['an answer', 'Hello'],
    ['an error', [{ error: true }]],
  ] as const;
  it.each(sampled(ends, 1))(
    '[EXT3.8] the program ends ten minutes after %s, and the next message starts it again',
    async (_, first) => {
      const { clock, held, fire } = clockHolding(600_000);
      const t = await open({ clock });
      await t.tell(first);
      await stopChat(t.runtime, W, t.chatId, person);
      await vi.waitFor(() => expect(held.size).toBe(1), 20_000);
      fire();
      await until(() => programs().every((pid) => !isAlive(pid)));
      await t.tell('And now?');
      expect(await t.lastText()).toBe('You said: And now?');
      expect(t.read('prompts.log')[1]).toContain('You are joining a conversation');
      expect(t.read('ran.log')).toEqual([]);
      expect(programs()).toHaveLength(2);
    },
  );

  it('[EXT3.8] a program whose turn was stopped while it started ends ten minutes later', async () => {
    const { clock, held, fire } = clockHolding(600_000);
    const t = await open({ clock });
    await t.tell('Hello', { waits: false });
    await until(() => t.streamed.some(({ content }) => content?.includes('Starting fixture…') === true));
    await stopChat(t.runtime, W, t.chatId, person);
    await t.engine.quiet();
    await vi.waitFor(() => expect(held.size).toBe(1), 20_000);
    expect(programs()).toHaveLength(1);
    fire();
    await until(() => programs().every((pid) => !isAlive(pid)));
    expect(t.read('prompts.log')).toEqual([]);
  });

  it('[EXT3.8] [EXT3.13] the program gets no variables but those that its settings name, and those that make opencode ask', async () => {
    const env = { PATH: process.env['PATH'], MY_KEY: 'one', COUNTERSIGN_TOKEN: 'two', OTHER: 'three' };
    const t = await open({ env, acp: { env: ['MY_KEY', 'MISSING'] } });
    await t.tell('Hello');
    const { env: got } = JSON.parse(t.read('prompts.log')[0] ?? '') as { env: string[] };
    expect(got).toEqual([
      'COUNTERSIGN_CALL',
      'HOME',
      'LANG',
      'MY_KEY',
      'OPENCODE_DISABLE_PROJECT_CONFIG',
      'OPENCODE_PERMISSION',
      'PATH',
      'TERM',
      'TMPDIR',
    ]);
  });

  it('[EXT3] says that the program starts, and sends no prompt if its settings were changed meanwhile', async () => {
    let wasChanged = false;
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now(),
      after(ms, fire, options) {
        // The program has a minute to start.
        if (ms === 60_000 && !wasChanged) {
          wasChanged = true;
          void updateAgent(t.runtime, W, 'coder', { acp: { command: ['other-program'] } }, person, MAY_ALL);
        }
        return systemClock.after(ms, fire, options);
      },
    };
    const t = await open({ clock });
    await t.tell('Hello');
    expect(await t.lastText()).toContain('Its settings were changed while it started. Send your message again.');
    expect(t.read('prompts.log')).toEqual([]);
    const shown = t.streamed.filter(({ type }) => type === 'thinking').map(({ content }) => content);
    expect(shown.join('')).toContain('Starting fixture…');
  });

  it('[EXT3.13] Claude Code and Gemini CLI are told to ask for every call', async () => {
    const t = await open({ acp: { program: 'gemini' } });
    await t.tell('Hello');
    const { meta, flags } = JSON.parse(t.read('opened.log')[0] ?? '') as { meta: unknown; flags: string[] };
    expect(meta).toMatchObject({ claudeCode: { options: { settings: { permissions: { ask: ['*'] } } } } });
    expect(flags).toEqual(['--admin-policy', expect.any(String)]);
    expect(readFileSync(flags[1] ?? '', 'utf8')).toContain('decision = "ask_user"');
    await t.engine.close();
    await until(() => !existsSync(flags[1] ?? ''));
  });

  it.each([
    ['--exit', {}, 'Its program exited with code 3 (no licence found)'],
    ['--mute', { clock: clockWith({ 60_000: 0 }) }, "Its program didn't answer within 60 seconds"],
    ['--sign-in', {}, 'Its program needs you to sign in'],
  ] as const)('[EXT3.10] an agent with %s fails with a sentence', async (flag, options, sentence) => {
    const t = await open({ flags: [flag], ...options });
    await t.tell('Hello');
    expect(await t.lastText()).toContain(`Coder could not answer. ${sentence}`);
  });

  it.each([
    [{ command: ['/no/such/program'] }, "The program /no/such/program doesn't exist"],
    [
      { command: ['no-such-program-here'] },
      "isn't on the server's PATH, where folders inside node_modules don't count",
    ],
    [{ mode: 'careful' }, 'The agent has no mode "careful"'],
  ])('[EXT3.10] settings that don’t work fail with a sentence: %j', async (acp, sentence) => {
    const t = await open({ acp });
    await t.tell('Hello');
    expect(await t.lastText()).toContain(sentence);
    expect(await t.lastText()).toMatch(/[^.]\.$/);
  });

  it('[EXT3.10] garbage is ignored; a program that sends too much or ends is reported', async () => {
    const t = await open({ flags: ['--garbage'] });
    await t.tell([{ garbage: true }, { say: 'Fine.' }]);
    expect(await t.lastText()).toBe('Fine.');
    await t.tell([{ exit: true }]);
    expect(await t.lastText()).toContain('Its program exited with code 9');
    await t.tell([{ huge: true }]);
    expect(await t.lastText()).toContain('Coder could not answer.');
    await t.tell('Hello again');
    expect(await t.lastText()).toBe('You said: Hello again');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds).toBe(true);
}
