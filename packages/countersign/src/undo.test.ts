import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describeEffect } from '@countersign/protocol';
import { shellCmd, writeFile } from '@countersign/tools';
import { sharedSandbox } from '../../../tests/support/shared-sandbox.js';
import { describe, expect, it } from 'vitest';
import { openTestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { obedient, propose } from './testing/obedient.js';

const sandbox = await sharedSandbox();
const inFolder = freshFolder();
const approve = { decision: 'approve' } as const;
const BY_ADA = { who: 'Ada', via: 'a test' };

describe.skipIf(sandbox.kind !== 'bubblewrap')('undoing a call', () => {
  const open = async (policy: readonly string[] = []) => {
    if (sandbox.kind !== 'bubblewrap') throw new Error('there is no sandbox');
    mkdirSync(inFolder('drafts'), { mode: 0o700 });
    mkdirSync(inFolder('work'));
    writeFileSync(inFolder('work/a.tmp'), 'one\n');
    writeFileSync(inFolder('work/b.txt'), 'two\n');
    const drafting = { ...sandbox.drafting, folder: inFolder('drafts') };
    const tools = [shellCmd({ sandbox: { ...sandbox, drafting } })];
    const t = await openTestWorld({ script: obedient, tools, workingDirectory: inFolder('work') });
    if (policy.length > 0) await t.world.setPolicy(policy);
    return t;
  };
  const COMMAND = { name: 'shell_cmd', arguments: { command: 'rm a.tmp; echo three >> b.txt' } };
  const run = async (t: Awaited<ReturnType<typeof open>>): Promise<string> => {
    await propose(t, COMMAND);
    const approval = await t.onlyApproval();
    await t.world.decide(approval, approve);
    await t.chat.settled();
    expect(existsSync(inFolder('work/a.tmp'))).toBe(false);
    return approval.toolCallId;
  };

  it('[CHANGE10] [CHANGE10.5] [TURN2] reverts it once, with a signature, an audit record, an event and a notice for the model', async () => {
    const t = await open();
    const call = await run(t);
    expect(await t.world.undoable()).toMatchObject([{ toolCallId: call, toolName: 'shell_cmd', agentId: 'ada' }]);
    const preview = await t.world.previewUndo(call);
    if (preview.state !== 'ready') throw new Error(preview.state);
    expect(describeEffect(preview.effect)).toBe('Changes 1 file, adds 1 file');
    const { effectHash } = preview.effect;
    await expect(t.world.undo(call, 'f'.repeat(64), BY_ADA)).rejects.toMatchObject({ code: 'conflict' });
    expect(await t.world.undo(call, effectHash, BY_ADA)).toEqual({ state: 'undone' });
    expect(readFileSync(inFolder('work/a.tmp'), 'utf8')).toBe('one\n');
    expect(readFileSync(inFolder('work/b.txt'), 'utf8')).toBe('two\n');
    await expect(t.world.undo(call, effectHash, BY_ADA)).rejects.toThrow('This call was already undone.');
    expect(await t.world.previewUndo(call)).toEqual({ state: 'undone' });
    expect(await t.world.undoable()).toEqual([]);

    const undos = (await t.world.audit()).filter(({ kind }) => kind === 'undo');
    expect(undos).toMatchObject(
      ['signed', 'done'].map((decision) => ({
        decision,
        effectHash,
        invocationId: call,
        requester: { kind: expect.any(String) as string },
        who: { kind: 'person', name: 'Ada' },
        via: 'a test',
      })),
    );
    expect(undos).toHaveLength(2);
    expect(t.toolEvents().at(-1)).toMatchObject({ type: 'TOOL_UNDONE', invocation_id: call, effect_hash: effectHash });
    const last = (await t.chat.messages()).at(-1);
    expect(last).toMatchObject({ role: 'tool', who: { name: 'Ada' } });
    expect(JSON.parse(last?.content ?? '')).toMatchObject({ undone: call });
    await t.chat.send('What now?');
    await t.chat.settled();
    expect(JSON.stringify(t.provider.requests.at(-1)?.messages)).toContain(
      'A person has undone your call to shell_cmd',
    );
  });

  it('[CHANGE10.7] a rule that protects a path now keeps one person from reverting it', async () => {
    const t = await open();
    const call = await run(t);
    const preview = await t.world.previewUndo(call);
    if (preview.state !== 'ready') throw new Error(preview.state);
    await t.world.setPolicy(['deny *(./b.txt)']);
    expect(await t.world.previewUndo(call)).toEqual({ state: 'denied' });
    await expect(t.world.undo(call, preview.effect.effectHash, BY_ADA)).rejects.toThrow('A rule denies changes');
    expect(readFileSync(inFolder('work/b.txt'), 'utf8')).toBe('two\nthree\n');
    await t.world.setPolicy(['deny *(./c.txt)', 'ask write_file(./b.txt)', 'deny shell_cmd']);
    expect(await t.world.undo(call, preview.effect.effectHash, BY_ADA)).toEqual({ state: 'undone' });
  });

  it('[CHANGE10.2] shows which paths have changed since, and changes nothing', async () => {
    const t = await open();
    const call = await run(t);
    const preview = await t.world.previewUndo(call);
    if (preview.state !== 'ready') throw new Error(preview.state);
    appendFileSync(inFolder('work/b.txt'), 'mine\n');
    expect(await t.world.previewUndo(call)).toEqual({ state: 'conflict', paths: ['b.txt'] });
    await expect(t.world.undo(call, preview.effect.effectHash, BY_ADA)).rejects.toThrow(/b\.txt/);
    expect(existsSync(inFolder('work/a.tmp'))).toBe(false);
    expect(readFileSync(inFolder('work/b.txt'), 'utf8')).toBe('two\nthree\nmine\n');
    expect((await t.world.audit()).filter(({ kind }) => kind === 'undo')).toEqual([]);
  });

  it('[CHANGE10.1] also reverts a command that a rule allowed', async () => {
    const t = await open(['allow shell_cmd(*)']);
    await propose(t, { name: 'shell_cmd', arguments: { command: 'touch new' } });
    expect(existsSync(inFolder('work/new'))).toBe(true);
    const [call] = await t.world.undoable();
    const preview = await t.world.previewUndo(call?.toolCallId ?? '');
    if (preview.state !== 'ready') throw new Error(preview.state);
    await t.world.undo(call?.toolCallId ?? '', preview.effect.effectHash, BY_ADA);
    expect(existsSync(inFolder('work/new'))).toBe(false);
  });
});

it('[CHANGE10] [CHANGE10.5] undoing write_file works without a sandbox, with the same record and event', async () => {
  mkdirSync(inFolder('kept'), { mode: 0o700 });
  mkdirSync(inFolder('work'));
  writeFileSync(inFolder('work/a.txt'), 'old\n');
  const tools = [writeFile({ lock: { folder: inFolder('kept') } })];
  const t = await openTestWorld({ script: obedient, tools, workingDirectory: inFolder('work') });
  await t.world.setPolicy(['allow write_file(./**)']);
  await propose(t, { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } });
  expect(readFileSync(inFolder('work/a.txt'), 'utf8')).toBe('new\n');
  const [call] = await t.world.undoable();
  const preview = await t.world.previewUndo(call?.toolCallId ?? '');
  if (preview.state !== 'ready') throw new Error(preview.state);
  await t.world.undo(call?.toolCallId ?? '', preview.effect.effectHash, BY_ADA);
  expect(readFileSync(inFolder('work/a.txt'), 'utf8')).toBe('old\n');
  const undos = (await t.world.audit()).filter(({ kind }) => kind === 'undo');
  expect(undos.map(({ decision }) => decision)).toEqual(['signed', 'done']);
  expect(t.toolEvents().at(-1)).toMatchObject({ type: 'TOOL_UNDONE', invocation_id: call?.toolCallId });
});

it('[CHANGE10.8] a call can’t be undone in a folder that is no longer the world’s', async () => {
  for (const name of ['kept', 'work', 'other']) mkdirSync(inFolder(name), { mode: 0o700 });
  writeFileSync(inFolder('work/a.txt'), 'old\n');
  const tools = [writeFile({ lock: { folder: inFolder('kept') } })];
  const t = await openTestWorld({ script: obedient, tools, workingDirectory: inFolder('work') });
  await t.world.setPolicy(['allow write_file(./**)']);
  await propose(t, { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } });
  const [call] = await t.world.undoable();
  const id = call?.toolCallId ?? '';
  const preview = await t.world.previewUndo(id);
  if (preview.state !== 'ready') throw new Error(preview.state);
  await t.world.update({ workingDirectory: inFolder('other') });
  expect(await t.world.previewUndo(id)).toEqual({ state: 'gone' });
  await expect(t.world.undo(id, preview.effect.effectHash, BY_ADA)).rejects.toMatchObject({ code: 'conflict' });
  expect(readFileSync(inFolder('work/a.txt'), 'utf8')).toBe('new\n');
  await t.world.update({ workingDirectory: inFolder('work') });
  expect(await t.world.previewUndo(id)).toMatchObject({ state: 'ready' });
});
