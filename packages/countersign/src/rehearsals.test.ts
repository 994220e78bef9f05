import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ToolFailure } from '@countersign/core/ports';
import { createFakeClock, type FakeClock, type Script, type ScriptedCall } from '@countersign/core/testing';
import { describeEffect, type Effect } from '@countersign/protocol';
import { editFile, shellCmd, writeFile } from '@countersign/tools';
import { sharedSandbox } from '../../../tests/support/shared-sandbox.js';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isFullSize } from '../../../tests/support/scaled.js';
import { closeTestWorld, deferred, openTestWorld, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { about, first, lastResults, obedient, propose } from './testing/obedient.js';
import { rehearsingTool, type RehearsingTool } from './testing/rehearsing-tool.js';
import { openSigningWorld, signedBy, who } from './testing/signers.js';
import { lifecycle } from './testing/tool-turn.js';

const put = (path: string, text = 'new') => ({ name: 'put', arguments: { path, text } });
const approve = { decision: 'approve' } as const;
const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

const inFolder = freshFolder();
let made: RehearsingTool;
beforeEach(() => {
  made = rehearsingTool();
});

const open = (more: Parameters<typeof openTestWorld>[0] = {}) =>
  openTestWorld({ script: obedient, tools: [made.tool], ...more });

describe('a call that needs approval', () => {
  it('[CHANGE6] [CHANGE6.1] [TURN2] is rehearsed once, shown with its effect, and applied by a yes', async () => {
    const t = await open();
    await propose(t, put('notes.txt'));
    const approval = await t.onlyApproval();
    expect(made.log).toEqual(['rehearsed notes.txt']);
    expect(approval.effect).toMatchObject({
      files: [{ path: 'notes.txt', change: 'changed', kind: 'file' }],
      exitCode: 0,
      output: 'written\n',
      truncated: false,
    });
    expect(approval.effect?.files[0]?.diff).toContain('-old\n+new');
    expect(approval).not.toHaveProperty('noEffect');
    expect(describeEffect(approval.effect ?? { files: [] })).toBe('Changes 1 file');
    await t.world.decide(approval, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['rehearsed notes.txt', 'applied notes.txt']);
    expect(made.folder.get('notes.txt')).toBe('new');
    expect(lastResults(t)).toEqual([{ result: { printed: 'written\n' } }]);
    expect(lifecycle(t)).toEqual(
      ['REHEARSED', 'APPROVAL_REQUESTED', 'APPROVED', 'STARTED', 'SUCCEEDED'].map((type) => `put: ${type}`),
    );
    expect(t.toolEvents()[0]).toMatchObject({
      effect_hash: approval.effect?.effectHash,
      ms: expect.any(Number) as number,
    });
    const audit = await t.world.audit();
    expect(audit.map(({ kind }) => kind)).toEqual(['policy', 'rehearsal', 'request', 'decision', 'run', 'outcome']);
    expect(audit[1]).toMatchObject({ why: 'Changes 1 file', effectHash: approval.effect?.effectHash });
  });

  it('[CHANGE6.1] is shown in the transcript with its effect, and no model sees it before a yes', async () => {
    made.prints.text = 'the-printed-word\n';
    const t = await open({ agents: ['Ada', 'Bob'] });
    const seen = () => JSON.stringify(t.provider.requests);
    await t.chat.send(`@Ada ${JSON.stringify([put('hidden-name.txt', 'hidden-text')])}`).catch(() => undefined);
    await t.chat.settled();
    await propose(t, put('other.txt', 'text'));
    await t.chat.send('@Bob what is going on?');
    await t.chat.settled();
    const [approval] = await t.world.approvals();
    expect(approval?.effect?.output).toBe('the-printed-word\n');
    const asked = (await t.chat.messages()).find(({ tool_calls: calls }) => calls?.[0]?.id === approval?.approvalId);
    expect(JSON.parse(asked?.tool_calls?.[0]?.function.arguments ?? '')).toMatchObject({ effect: approval?.effect });
    expect(seen()).not.toContain('the-printed-word');
    expect(seen()).not.toContain(approval?.effect?.effectHash);
    for (const each of await t.world.approvals()) await t.world.decide(each, { decision: 'deny', reason: 'no' });
    await t.chat.settled();
    expect(seen()).not.toContain('the-printed-word');
  });

  it('[CHANGE6.1] masks secrets in paths, diffs and output, and cuts long ones', async () => {
    made.prints.text = `token=${TOKEN}\n${'x'.repeat(100_000)}`;
    const t = await open();
    await propose(t, put('notes.txt', `GITHUB_TOKEN=${TOKEN}`));
    const { effect } = await t.onlyApproval();
    expect(JSON.stringify(effect)).not.toContain(TOKEN);
    expect(effect?.output).toContain('‹masked');
    expect(effect?.files[0]?.diff).toContain('‹masked');
    expect(effect?.truncated).toBe(true);
    expect(JSON.stringify(effect).length).toBeLessThan(70_000);
  });

  it('[CHANGE6.1] names every path before it shows a diff, and never a part of a path', async () => {
    const many = Array.from({ length: 600 }, (_, index) => `${'deep/'.repeat(40)}${index}`);
    const files: Effect['files'] = [
      ...['a', 'b', 'c', 'd'].map((path) => ({
        path,
        change: 'changed' as const,
        kind: 'file' as const,
        diff: `+${'x\n+'.repeat(6_000)}`,
      })),
      { path: 'src/login.ts', change: 'changed', kind: 'file', diff: '+backdoor' },
    ];
    const show = async (shown: Effect['files']): Promise<Effect | undefined> => {
      const effect = {
        files: shown,
        leftOut: [],
        effectHash: 'a'.repeat(64),
        exitCode: 0,
        output: '',
        truncated: false,
      };
      const rehearse = () => Promise.resolve({ fingerprint: effect.effectHash, effect });
      const t = await open({
        tools: [{ ...made.tool, rehearsals: { rehearse, drop: async () => undefined, list: async () => [] } }],
      });
      await propose(t, put('notes.txt'));
      return (await t.onlyApproval()).effect;
    };
    const long = await show(files);
    expect(long?.files.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd', 'src/login.ts']);
    expect(long).toMatchObject({ truncated: true });
    expect(long).not.toHaveProperty('unlisted');
    const crowded = await show(many.map((path) => ({ path, change: 'removed', kind: 'file', bytes: 1 })));
    const listed = crowded?.files.map(({ path }) => path) ?? [];
    expect(listed).toEqual(many.slice(0, listed.length));
    expect(crowded).toMatchObject({ truncated: true, unlisted: many.length - listed.length });
  });

  it('[CHANGE6.7] [CHANGE6.3] is shown after 20 seconds without an effect, if the rehearsals of four other agents sleep', async () => {
    const fake = createFakeClock();
    const waiting: number[] = [];
    const clock: FakeClock = {
      ...fake,
      after(ms, fire) {
        if (ms === 20_000) waiting.push(ms);
        return fake.after(ms, fire);
      },
    };
    made.wait.until = new Promise(() => undefined);
    const names = ['Ann', 'Ben', 'Cid', 'Dot', 'Eve'];
    const script: Script = ({ messages }) => {
      const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system')?.content ?? '';
      return { calls: JSON.parse(told.slice(told.indexOf('['))) as ScriptedCall[] };
    };
    const t = await open({ agents: names, script, clock });
    for (const name of names) await (await t.world.chat()).send(`@${name} ${JSON.stringify([put(`${name}.txt`)])}`);
    while (waiting.length < 5 || made.log.length < 4) await setImmediate();
    expect(made.log).toEqual(names.slice(0, 4).map((name) => `rehearsed ${name}.txt`));
    fake.advance(19_999);
    await setImmediate();
    expect(await t.world.approvals()).toEqual([]);
    fake.advance(1);
    await t.heard(({ event, data }) => event === 'tool' && data.type === 'TOOL_APPROVAL_REQUESTED');
    const approval = await t.onlyApproval();
    const { arguments: args, noEffect } = approval;
    expect({ args, noEffect }).toMatchObject({ args: { path: 'Eve.txt' }, noEffect: { reason: 'busy' } });
    // [CHANGE8.7] The person who approves it doesn't wait for another attempt.
    expect(await t.world.decide(approval, { decision: 'approve', scope: 'once' })).toMatchObject({ kind: 'recorded' });
    await expect.poll(() => made.log.at(-1)).toBe('ran Eve.txt');
    expect(made.log).toHaveLength(5);
  });

  it('[CHANGE6.2] is never rehearsed if a rule denies it or lets it run, or if nobody can be asked', async () => {
    const t = await open({ policy: ['deny put(path=secret.txt)'] });
    expect(await propose(t, put('secret.txt'))).toBe('idle');
    expect(made.log).toEqual([]);
    await t.world.setPolicy(['allow put']);
    expect(await propose(t, put('free.txt'))).toBe('idle');
    expect(made.log).toEqual(['ran free.txt']);
    await t.world.setPolicy([]);
    await t.world.update({ unattended: 'deny' });
    expect(await propose(t, put('notes.txt'))).toBe('idle');
    expect(made.log).toEqual(['ran free.txt']);
    expect(lifecycle(t)).not.toContain('put: REHEARSED');
  });

  it('[CHANGE6.2] gets the rules of a run: hidden paths and the folder', async () => {
    const t = await open({ policy: ['deny put(/secret/**)'] });
    await propose(t, put('notes.txt'));
    const [context] = made.contexts;
    expect(context).toMatchObject({
      agentId: 'ada',
      chatId: t.chat.id,
      workingDirectory: expect.any(String) as string,
    });
    expect(context?.protectedPaths?.isProtected('/secret/key')).toBe(true);
    expect(context?.withheld?.('/secret/key')).toBe(true);
  });

  it.each([
    ['off', undefined],
    ['network', 'network'],
    ['too-long', 'too-long'],
  ] as const)('[CHANGE6.3] without an effect (%s), the card says why and a yes runs the call', async (reason, why) => {
    if (why !== undefined) made.refuse.why = why;
    const t = await open();
    if (why === undefined) await t.world.update({ rehearse: 'off' });
    await propose(t, put('notes.txt'));
    const approval = await t.onlyApproval();
    expect(approval).toMatchObject({ noEffect: { reason } });
    expect(approval).not.toHaveProperty('effect');
    await t.world.decide(approval, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['ran notes.txt']);
    // Only a rehearsal that started is one.
    expect(lifecycle(t).includes('put: REHEARSED')).toBe(reason === 'too-long');
  });

  it('[CHANGE6.3] needs approval without an effect if the rehearsal fails', async () => {
    made.wait.fail = 'the disk is full';
    const t = await open();
    await propose(t, put('notes.txt'));
    expect(await t.onlyApproval()).toMatchObject({ noEffect: { reason: 'failed' } });
    expect(t.errors).toMatchObject([{ what: 'failed to rehearse put' }]);
  });
});

it('[CHANGE6] [CHANGE8.3] a real command is rehearsed, and its draft applied, where a sandbox with drafts is available', async () => {
  writeFileSync(inFolder('a.tmp'), 'one\n');
  writeFileSync(inFolder('b.txt'), 'two\n');
  const sandbox = await sharedSandbox();
  const t = await open({ tools: [shellCmd({ sandbox })], workingDirectory: inFolder('.') });
  const parameters = ['-c', 'rm a.tmp; echo three >> b.txt; echo done'];
  await propose(t, { name: 'shell_cmd', arguments: { command: 'sh', parameters } });
  expect([readFileSync(inFolder('a.tmp'), 'utf8'), readFileSync(inFolder('b.txt'), 'utf8')]).toEqual([
    'one\n',
    'two\n',
  ]);
  const approval = await t.onlyApproval();
  const shown = approval.noEffect?.reason ?? describeEffect(approval.effect ?? { files: [] });
  expect(shown).toBe(sandbox.kind === 'bubblewrap' ? 'Removes 1 file, changes 1 file' : 'no-sandbox');
  await t.world.decide(approval, approve);
  await t.chat.settled();
  expect(existsSync(inFolder('a.tmp'))).toBe(false);
  expect(readFileSync(inFolder('b.txt'), 'utf8')).toBe('two\nthree\n');
  expect(lastResults(t)).toEqual([{ result: { exitCode: 0, stdout: 'done\n', stderr: '' } }]);
});

it('[CHANGE7] [CHANGE7.1] [CALL7] the effect of a file tool is known without a rehearsal, also if the world doesn’t rehearse', async () => {
  const workingDirectory = dirname(inFolder('notes.md'));
  writeFileSync(inFolder('notes.md'), 'one\n');
  const t = await open({ workingDirectory, tools: [writeFile(), editFile()] });
  await t.world.update({ rehearse: 'off' });
  const edit = (newText: string) => ({ name: 'edit_file', arguments: { path: 'notes.md', oldText: 'one', newText } });
  await propose(t, edit('two'), { name: 'write_file', arguments: { path: 'docs/new.md', content: `${TOKEN}\n` } });
  const asked = await t.world.approvals();
  const [changed, added] = [about(asked, 'notes.md'), about(asked, 'docs/new.md')];
  expect(describeEffect(changed.effect ?? { files: [] })).toBe('Changes 1 file');
  expect(changed.effect?.files[0]?.diff).toBe(changed.preview?.text);
  expect(describeEffect(added.effect ?? { files: [] })).toBe('Adds 1 file and 1 folder');
  expect(JSON.stringify(added.effect)).toContain('‹masked');
  expect(JSON.stringify(added.effect)).not.toContain(TOKEN);

  // The file has changed since it was shown, so the call is shown again with its new effect.
  writeFileSync(inFolder('notes.md'), 'zero\none\n');
  await t.world.decide(changed, approve).catch(() => undefined);
  const again = about(await t.world.approvals(), 'notes.md');
  expect(again.approvalId).not.toBe(changed.approvalId);
  expect(again.effect?.effectHash).not.toBe(changed.effect?.effectHash);
  // An edit is shown again with its own effect, and the call that runs is the edited one.
  expect(await t.world.decide(again, { ...approve, arguments: edit('three').arguments })).toMatchObject({
    status: 409,
  });
  const edited = about(await t.world.approvals(), 'three');
  expect(edited.effect?.files[0]?.diff).toContain('+three');
  await t.world.decide(edited, approve);
  await t.world.decide(added, approve);
  await t.chat.settled();
  expect(readFileSync(inFolder('notes.md'), 'utf8')).toBe('zero\nthree\n');
  expect(readFileSync(inFolder('docs/new.md'), 'utf8')).toBe(`${TOKEN}\n`);
  expect(lifecycle(t).join()).not.toContain('REHEARSED');
  expect((await t.world.audit()).map(({ kind }) => kind)).not.toContain('rehearsal');
});

describe('agents that change one file at the same moment', () => {
  const rounds = (agents: number): number => (isFullSize ? 20 : Math.ceil(4 / agents));
  const timeout = isFullSize ? 3_600_000 : 120_000;
  const line = (agent: number, round: number): string => `${agent}-${round}`;
  /** Half of the calls run a command, the others use a file tool. */
  const appends = (agent: number, round: number) =>
    agent % 4 < 2
      ? { name: 'shell_cmd', arguments: { command: `sed -i "s/^end$/${line(agent, round)}\\nend/" log` } }
      : { name: 'edit_file', arguments: { path: 'log', oldText: 'end\n', newText: `${line(agent, round)}\nend\n` } };
  /** Like `obedient`, for messages to one of several agents. */
  const script: Script = (asked) =>
    obedient({
      messages: asked.messages.map((message) =>
        message.role === 'user' ? { ...message, content: message.content.replace(/^@\S+ /, '') } : message,
      ),
    });
  const openFor = async (agents: number) => {
    writeFileSync(inFolder('log'), 'end\n');
    const sandbox = await sharedSandbox();
    const names = Array.from({ length: agents }, (_, agent) => `agent-${agent}`);
    const tools = [shellCmd({ sandbox }), editFile(sandbox.kind === 'bubblewrap' ? { lock: sandbox.drafting } : {})];
    const t = await open({ script, tools, agents: names, workingDirectory: dirname(inFolder('log')) });
    const chats = await Promise.all(names.map(() => t.world.chat()));
    const proposeAll = (round: number) =>
      Promise.all(
        chats.map(async (chat, agent) => {
          await chat.send(`@agent-${agent} ${JSON.stringify([appends(agent, round)])}`);
          return await chat.settled();
        }),
      );
    const isWhole = (count: number): void => {
      const lines = Array.from({ length: count }, (_, round) => names.map((_, agent) => line(agent, round))).flat();
      const written = readFileSync(inFolder('log'), 'utf8').trim().split('\n');
      expect(written.toSorted()).toEqual([...lines, 'end'].toSorted());
      const ends = lifecycle(t).filter((each) => /FAILED|SUCCEEDED/.test(each));
      expect(ends.filter((each) => each.endsWith('FAILED'))).toEqual([]);
      expect(ends).toHaveLength(lines.length);
      expect(lifecycle(t).filter((each) => each.endsWith('STARTED'))).toHaveLength(lines.length);
    };
    return { ...t, chats, proposeAll, isWhole };
  };

  it.each(isFullSize ? [2, 4, 8] : [2])(
    '[CHANGE2] [CALL7.2] %d approvals at once: a call that meets a conflict needs approval again, and no call fails',
    { timeout },
    async (agents) => {
      const t = await openFor(agents);
      for (let round = 0; round < rounds(agents); round += 1) {
        expect(new Set(await t.proposeAll(round))).toEqual(new Set(['waiting']));
        for (let left = agents; left > 0;) {
          const pending = await t.world.approvals();
          expect(pending).toHaveLength(left);
          await Promise.all(pending.map((each) => t.world.decide(each, approve)));
          await Promise.all(t.chats.map((chat) => chat.settled()));
          const after = (await t.world.approvals()).length;
          expect(after).toBeLessThan(left);
          left = after;
        }
      }
      t.isWhole(rounds(agents));
    },
  );

  it.each([isFullSize ? 4 : 2])(
    '[CHANGE2.2] %d agents in auto mode: each command starts once and keeps its change',
    { timeout },
    async (agents) => {
      const t = await openFor(agents);
      await t.world.update({ mode: 'auto' });
      for (let round = 0; round < rounds(agents); round += 1)
        expect(new Set(await t.proposeAll(round))).toEqual(new Set(['idle']));
      t.isWhole(rounds(agents));
    },
  );
});

it('[CHANGE2] [CHANGE2.2] a conflict after the start fails the call with a code, and the record has the attempts', async () => {
  const clash = tool('clash', (_, { again }) => {
    again?.();
    again?.();
    throw new ToolFailure('others changed it', undefined, { conflict: true });
  });
  const retry = tool('retry', (_, { again }) => again?.());
  const t = await open({ tools: [clash, retry, tool('once', () => 'ok')] });
  await propose(t, { name: 'clash' }, { name: 'retry' }, { name: 'once' });
  expect(t.toolEvents().find(({ type }) => type === 'TOOL_EXECUTION_FAILED')).toMatchObject({ outcome: 'conflict' });
  expect(lastResults(t)[0]).toEqual({ error: 'others changed it', outcome: 'conflict' });
  const ended = (await t.world.audit()).filter(({ kind }) => kind === 'outcome');
  expect(ended.map(({ tool: name, attempts }) => [name, attempts])).toEqual([
    ['clash', 3],
    ['retry', 2],
    ['once', undefined],
  ]);
  expect(lifecycle(t).filter((each) => each.endsWith('STARTED'))).toHaveLength(3);
});

describe('a rehearsal', () => {
  it('[CHANGE6.4] [CALL7.2] is repeated and shown again if the folder changes between showing and deciding', async () => {
    const t = await open();
    await propose(t, put('notes.txt'));
    const old = await t.onlyApproval();
    made.folder.set('notes.txt', 'someone else');
    expect(await t.world.decide(old, approve)).toMatchObject({ status: 409, code: 'changed' });
    await t.chat.settled();
    const renewed = await t.onlyApproval();
    expect(renewed.reason).toMatchObject({ changedSince: 'shown', changed: ['effect'] });
    expect(old.effect?.files[0]).not.toHaveProperty('isNew');
    expect(renewed.effect?.files[0]).toMatchObject({ isNew: true });
    expect(renewed.effect?.files[0]?.diff).toContain('-someone else');
    expect(renewed.effect?.effectHash).not.toBe(old.effect?.effectHash);
    expect(made.folder.get('notes.txt')).toBe('someone else');
    await t.world.decide(renewed, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['rehearsed notes.txt', 'rehearsed notes.txt', 'applied notes.txt']);
  });

  it('[CHANGE6.4] is repeated and shown again if the folder changes between approval and start', async () => {
    const gate = deferred();
    const slow = tool('slow', () => gate.promise);
    const t = await open({ tools: [made.tool, slow] });
    await t.chat.send(JSON.stringify([{ name: 'slow' }, put('notes.txt')]));
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.decide(await t.onlyApproval(), approve);
    made.folder.set('notes.txt', 'someone else');
    gate.resolve();
    expect(await t.chat.settled()).toBe('waiting');
    const renewed = await t.onlyApproval();
    expect(renewed.reason).toMatchObject({ changedSince: 'approved' });
    expect(renewed.effect?.files[0]?.diff).toContain('-someone else');
    await t.world.decide(renewed, approve);
    await t.chat.settled();
    expect(made.folder.get('notes.txt')).toBe('new');
    expect(made.log.filter((line) => line.startsWith('ran'))).toEqual([]);
  });

  it('[CHANGE6.4] is done for each call of an answer, and again for those that an earlier one affects', async () => {
    const t = await open();
    await propose(t, put('notes.txt', 'one'), put('notes.txt', 'two'), put('other.txt'));
    expect(made.log).toEqual(['rehearsed notes.txt', 'rehearsed notes.txt', 'rehearsed other.txt']);
    const [one, two, other] = await t.world.approvals();
    for (const approval of [one, two, other]) if (approval !== undefined) await t.world.decide(approval, approve);
    expect(await t.chat.settled()).toBe('waiting');
    const renewed = await t.onlyApproval();
    expect(renewed).toMatchObject({
      arguments: { text: 'two' },
      reason: { changedSince: expect.any(String) as string },
    });
    expect(renewed.effect?.files[0]?.diff).toContain('-one\n+two');
    await t.world.decide(renewed, approve);
    expect(await t.chat.settled()).toBe('idle');
    expect([...made.folder]).toEqual([
      ['notes.txt', 'two'],
      ['other.txt', 'new'],
    ]);
    expect(made.log.filter((line) => line.startsWith('ran'))).toEqual([]);
  });

  it('[CHANGE6.5] is kept over a restart, and deleted when its call ends or is gone', async () => {
    const options = { script: obedient, tools: [made.tool], file: inFolder('kept.db') };
    let t = await openTestWorld(options);
    await propose(t, put('denied.txt'));
    const denied = await t.onlyApproval();
    await t.world.decide(denied, { decision: 'deny' });
    await t.chat.settled();
    expect(made.dropped.splice(0)).toEqual([denied.toolCallId]);
    await propose(t, put('notes.txt'), put('other.txt'));
    const before = await t.world.approvals();
    await closeTestWorld(t);
    // As if the process had been killed before it deleted the first one. The other one belongs to another store.
    made.kept.set(denied.toolCallId, first([...made.kept.values()]));
    made.kept.set('call_of_another_store', first([...made.kept.values()]));
    made.log.length = 0;
    t = await openTestWorld(options);
    await t.world.quiet();
    expect(made.dropped).toEqual([denied.toolCallId]);
    expect(await t.world.approvals()).toEqual(before);
    await t.world.decide(about(before, 'notes.txt'), approve);
    await t.world.decide(about(before, 'other.txt'), { decision: 'deny' });
    await (await t.world.chat(first(before).chatId)).settled();
    expect(made.log).toEqual(['applied notes.txt']);
    expect([...made.kept.keys()]).toEqual(['call_of_another_store']);
  });

  it('[CHANGE6.5] is not repeated for a call that has ended, and a late one leaves nothing behind', async () => {
    const t = await open();
    await propose(t, put('notes.txt'));
    const approval = await t.onlyApproval();
    const gate = deferred();
    made.wait.until = gate.promise;
    const late = t.world.decide(approval, { ...approve, arguments: { path: 'notes.txt', text: 'late' } });
    await expect.poll(() => made.log).toEqual(['rehearsed notes.txt', 'rehearsed notes.txt']);
    await t.world.decide(approval, { decision: 'deny' });
    await t.chat.settled();
    gate.resolve();
    expect(await late).toMatchObject({ status: 409, code: 'settled' });
    expect(made.kept.size).toBe(0);
    expect(await t.world.decide(approval, approve)).toMatchObject({ status: 409, code: 'settled' });
    expect(made.log).toHaveLength(2);
    expect(made.kept.size).toBe(0);
  });

  it('[CHANGE6.6] of calls that agents propose never hold up a decision', async () => {
    const t = await open();
    await propose(t, put('notes.txt'));
    const approval = await t.onlyApproval();
    const gate = deferred();
    made.wait.until = gate.promise;
    const chats = await Promise.all([1, 2, 3, 4, 5].map(() => t.world.chat()));
    for (const chat of chats) await chat.send(JSON.stringify([put('other.txt')]));
    // One agent rehearses two calls at a time.
    await expect.poll(() => made.log).toHaveLength(3);
    await t.world.decide(approval, approve);
    expect(made.contexts.filter(({ signal }) => signal.aborted)).toEqual([]);
    gate.resolve();
    await t.chat.settled();
    expect(made.folder.get('notes.txt')).toBe('new');
    await t.world.quiet();
  });

  it('[CHANGE6.5] [WORLD9] ends when the chat is stopped, and leaves nothing behind', async () => {
    const gate = deferred();
    made.wait.until = gate.promise;
    const t = await open();
    await t.chat.send(JSON.stringify([put('notes.txt')]));
    await expect.poll(() => made.log).toEqual(['rehearsed notes.txt']);
    await t.chat.stop();
    expect(await t.chat.settled()).toBe('idle');
    expect(made.contexts[0]?.signal.aborted).toBe(true);
    expect(await t.world.approvals({})).toEqual([]);
    gate.resolve();
    await t.world.quiet();
  });
});

describe('a decision about a rehearsed call', () => {
  it.each(['session', 'always'] as const)(
    '[CHANGE6.8] with scope %s applies what was shown, and covers later calls, which run without a rehearsal',
    async (scope) => {
      const t = await open();
      await propose(t, put('notes.txt', 'one'), put('waiting.txt'));
      const approvals = await t.world.approvals();
      const more = scope === 'always' ? { rule: 'allow put' } : { pattern: '*' };
      await t.world.decide(about(approvals, 'notes.txt'), { ...approve, scope, ...more });
      expect(await t.chat.settled()).toBe('idle');
      expect(made.log).toEqual([
        'rehearsed notes.txt',
        'rehearsed waiting.txt',
        'applied notes.txt',
        'ran waiting.txt',
      ]);
      await propose(t, put('later.txt'));
      expect(made.log.at(-1)).toBe('ran later.txt');
      expect(made.kept.size).toBe(0);
    },
  );

  it('[CHANGE6.9] that edits the arguments rehearses the edit and shows it before it can be signed', async () => {
    const t = await open();
    await propose(t, put('notes.txt', 'theirs'));
    const old = await t.onlyApproval();
    const edit = { ...approve, arguments: { path: 'notes.txt', text: 'mine' } };
    expect(await t.world.decide(old, edit)).toMatchObject({ status: 409, code: 'changed', state: 'asked' });
    expect(await t.chat.settled()).toBe('waiting');
    const edited = await t.onlyApproval();
    expect(edited).toMatchObject({ toolCallId: old.toolCallId, arguments: { text: 'mine' } });
    expect(edited.effect?.files[0]?.diff).toContain('-old\n+mine');
    expect(made.folder.get('notes.txt')).toBe('old');
    expect(await t.world.decide(old, approve)).toMatchObject({ code: 'changed' });
    await t.world.decide(edited, approve);
    await t.chat.settled();
    expect(made.folder.get('notes.txt')).toBe('mine');
    expect(made.log).toEqual(['rehearsed notes.txt', 'rehearsed notes.txt', 'applied notes.txt']);
    expect(lastResults(t)).toMatchObject([{ result: { edited_by_person: { text: 'mine' } } }]);
    expect(await t.world.audit()).toContainEqual(
      expect.objectContaining({ kind: 'decision', decision: 'edit', arguments: { path: 'notes.txt', text: 'mine' } }),
    );
  });

  it('[CHANGE6.9] that edits a rehearsed call into one without an effect shows that before it can be signed', async () => {
    const t = await open();
    await propose(t, put('notes.txt', 'theirs'));
    const old = await t.onlyApproval();
    made.refuse.why = 'network';
    const edit = { ...approve, arguments: { path: 'notes.txt', text: 'mine' } };
    expect(await t.world.decide(old, edit)).toMatchObject({ status: 409, code: 'changed', state: 'asked' });
    const edited = await t.onlyApproval();
    expect(edited).toMatchObject({ arguments: { text: 'mine' }, noEffect: { reason: 'network' } });
    expect(made.folder.get('notes.txt')).toBe('old');
    await t.world.decide(edited, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['rehearsed notes.txt', 'ran notes.txt']);
  });

  it('[CHANGE6.9] that edits a call into one that a rule denies is refused and rehearses nothing', async () => {
    const t = await open({ policy: ['deny put(path=secret.txt)'] });
    await propose(t, put('notes.txt'));
    const edit = { ...approve, arguments: { path: 'secret.txt', text: 'x' } };
    expect(await t.world.decide(await t.onlyApproval(), edit)).toMatchObject({ status: 422 });
    expect(made.log).toEqual(['rehearsed notes.txt']);
  });

  it('[CHANGE6.9] that edits a call whose signers a rule names is refused and rehearses nothing', async () => {
    const pay = { ...made.tool, definition: { ...made.tool.definition, name: 'pay' } };
    const t = await openSigningWorld(['ask pay(path=shared.txt) by @ada'], { tools: [pay] });
    onTestFinished(() => t.engine.close());
    const edit = { arguments: { path: 'shared.txt', text: 'x' } };
    for (const path of ['shared.txt', 'notes.txt']) {
      await t.request(who('bob'), { path, text: 'new' });
      const answer = await t.sign(signedBy('ada'), edit);
      expect(answer).toMatchObject({ kind: 'refused', status: 422 });
      expect(answer.kind === 'refused' && answer.detail).toContain('A rule says who must sign this call');
      await t.sign(signedBy('ada'), { decision: 'deny', reason: 'no' });
      await t.settled();
    }
    expect(made.log).toEqual(['rehearsed shared.txt', 'rehearsed notes.txt']);
  });

  it('[CHANGE6.5] [WORLD9] ends while it waits for others if the chat is stopped', async () => {
    const gate = deferred();
    made.wait.until = gate.promise;
    const t = await open();
    const chats = await Promise.all([1, 2, 3].map(() => t.world.chat()));
    for (const chat of chats) await chat.send(JSON.stringify([put('other.txt')]));
    await expect.poll(() => made.log).toHaveLength(2);
    await t.chat.send(JSON.stringify([put('notes.txt')]));
    await t.chat.stop();
    expect(await t.chat.settled()).toBe('idle');
    gate.resolve();
    await t.world.quiet();
    expect(made.log).not.toContain('rehearsed notes.txt');
  });

  it('[CHANGE6.2] is refused without a rehearsal if a rule denies the call by then', async () => {
    const t = await open();
    await propose(t, put('notes.txt'));
    const approval = await t.onlyApproval();
    await t.world.setPolicy(['deny put']);
    made.folder.set('notes.txt', 'someone else');
    await t.world.decide(approval, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['rehearsed notes.txt']);
    expect(made.folder.get('notes.txt')).toBe('someone else');
  });
});
