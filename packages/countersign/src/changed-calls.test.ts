import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import type { Tool } from '@countersign/core/ports';
import { describe, expect, it } from 'vitest';
import { closeTestWorld, deferred, gated, openTestWorld, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, obedient, propose, recorder, remove } from './testing/obedient.js';

const inFolder = freshFolder();

/** A world whose working folder is a symlink; `swap` changes its target. */
async function linked() {
  await mkdir(inFolder('mine'));
  await mkdir(inFolder('theirs'));
  const link = inFolder('work');
  await symlink(inFolder('mine'), link);
  const places: string[] = [];
  const gate = deferred();
  const slow = tool('slow', () => gate.promise);
  const removing = gated('remove', async (_args, { workingDirectory }) => places.push(workingDirectory));
  const t = await openTestWorld({ script: obedient, tools: [removing, slow], workingDirectory: link });
  const swap = async (to = 'theirs') => {
    await symlink(inFolder(to), `${link}.new`);
    await rename(`${link}.new`, link);
  };
  return { ...t, places, swap, gate, inFolder: (name: string) => inFolder(name) };
}

describe('the working folder', () => {
  it('[CALL7.2] swapped between request and decision: the old approval does not apply, and the call needs approval again', async () => {
    const t = await linked();
    await propose(t, remove('a'));
    const old = await t.onlyApproval();
    await t.swap();
    await t.world.decide(old, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.places).toEqual([]);
    const renewed = await t.onlyApproval();
    expect(renewed).toMatchObject({ toolCallId: old.toolCallId, arguments: { path: 'a' } });
    expect(renewed.approvalId).not.toBe(old.approvalId);
    expect(renewed.callHash).not.toBe(old.callHash);
    expect(renewed.reason).toMatchObject({ changedSince: 'shown', changed: ['folder'] });
    expect(renewed.why).toContain('the working folder was replaced');
    // The old approval, resent in every form, does not answer the new request.
    for (const id of [old.approvalId, old.toolCallId]) {
      await t.world.decide(id, { decision: 'approve' });
      await t.world.decide({ approvalId: id, callHash: old.callHash }, { decision: 'approve' });
    }
    expect(await t.onlyApproval()).toEqual(renewed);
    expect(t.places).toEqual([]);
    expect(await t.world.decide(renewed, { decision: 'approve' })).toMatchObject({ kind: 'recorded' });
    await t.chat.settled();
    expect(t.places).toEqual([t.inFolder('theirs')]);
  });

  it.each(['a call that needs no approval', 'a granted call'])(
    '[CALL2] [CALL7] moved while the model responds: %s runs in the new folder, and rules are judged there',
    async (which) => {
      await mkdir(inFolder('mine'));
      await mkdir(inFolder('theirs'));
      const places: string[] = [];
      const look = tool('look', (_args, { workingDirectory }) => places.push(workingDirectory));
      const here: Tool = { ...look, subjects: (_, place) => [{ kind: 'path', path: place.workingDirectory }] };
      const t = await openTestWorld({
        script: async ({ messages }) => {
          if (messages.at(-1)?.role !== 'user') return 'done';
          await t.world.update({ workingDirectory: inFolder('theirs') });
          return { calls: [{ name: 'look' }] };
        },
        tools: [here],
        workingDirectory: inFolder('mine'),
        policy: which === 'a granted call' ? ['allow look'] : [],
      });
      await t.chat.send('look');
      await t.chat.settled();
      expect(places).toEqual([inFolder('theirs')]);
      await t.world.update({ workingDirectory: inFolder('mine') });
      await t.world.setPolicy([`deny look(${inFolder('theirs')})`]);
      await t.chat.send('look');
      await t.chat.settled();
      expect(places).toHaveLength(1);
    },
  );

  it('[CALL2] [CALL7.2] moved at the moment a call starts: it is judged again and starts in the new folder', async () => {
    await mkdir(inFolder('mine'));
    await mkdir(inFolder('theirs'));
    const places: string[] = [];
    let move = (): unknown => undefined;
    const t = await openTestWorld({
      script: obedient,
      tools: [tool('look', (_args, { workingDirectory }) => places.push(workingDirectory))],
      workingDirectory: inFolder('mine'),
      probe: (moment) => {
        if (moment === 'before tool-calls' || moment === 'before start-invocation') move();
      },
    });
    move = () => {
      move = () => undefined;
      return t.world.update({ workingDirectory: inFolder('theirs') });
    };
    await propose(t, { name: 'look' });
    expect(places).toEqual([inFolder('theirs')]);
  });

  it('[CALL7.2] [HTTP14] a decision on a call that changed after it was shown gets 409 with the code changed', async () => {
    const t = await linked();
    await propose(t, remove('a'));
    const old = await t.onlyApproval();
    await t.swap();
    expect(await t.world.decide(old, { decision: 'approve' })).toMatchObject({ status: 409, code: 'changed' });
    await t.world.quiet();
    expect((await t.onlyApproval()).approvalId).not.toBe(old.approvalId);
    expect(t.places).toEqual([]);
  });

  it('[CALL7.2] swapped between decision and start: needs approval again', async () => {
    const t = await linked();
    await t.chat.send(JSON.stringify([{ name: 'slow' }, remove('a')]));
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.swap();
    t.gate.resolve();
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.places).toEqual([]);
    await t.world.decide(await t.onlyApproval(), { decision: 'deny' });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.places).toEqual([]);
  });

  it('[CALL7.2] swapped and swapped back: the approved call runs', async () => {
    const t = await linked();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await t.swap();
    await t.swap('mine');
    await t.world.decide(approval, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.places).toEqual([t.inFolder('mine')]);
  });

  it('[CALL7.2] a session or always approval does not apply to a changed call', async () => {
    for (const scope of ['session', 'always'] as const) {
      await rm(inFolder('.'), { recursive: true, force: true });
      await mkdir(inFolder('.'));
      const t = await linked();
      await propose(t, remove('a'));
      await t.swap();
      await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope });
      expect(await t.chat.settled()).toBe('waiting');
      expect(t.places).toEqual([]);
      expect(await t.world.grants()).toEqual([]);
      expect(await t.world.policy()).toEqual([]);
    }
  });

  it('[CALL7] editing the arguments does not approve a folder that was not shown', async () => {
    const t = await linked();
    await propose(t, remove('a'));
    await t.swap();
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', arguments: { path: 'b' } });
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.places).toEqual([]);
  });

  it('[CALL7] a denial applies even if everything changed', async () => {
    const t = await linked();
    await propose(t, remove('a'));
    await t.swap();
    expect(await t.world.decide(await t.onlyApproval(), { decision: 'deny' })).toMatchObject({ status: 200 });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.places).toEqual([]);
  });

  it('[CALL7] deleted: an approval is refused with an error and nothing runs', async () => {
    const t = await linked();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await rm(t.inFolder('work'));
    expect(await t.world.decide(approval, { decision: 'approve' })).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('working folder') as unknown,
    });
    expect(await t.onlyApproval()).toEqual(approval);
    expect(t.places).toEqual([]);
  });
});

describe('what a call would overwrite', () => {
  it('[CALL7.2] [CALL4.2] changed after it was shown: needs approval again, and only the new approval runs it', async () => {
    let content = 'old';
    const written: unknown[] = [];
    const write = {
      ...gated('write', async (args) => written.push(args)),
      fingerprint: async () => content,
    };
    const t = await openTestWorld({ script: obedient, tools: [write] });
    await propose(t, { name: 'write', arguments: { text: 'new' } });
    const old = await t.onlyApproval();
    content = 'edited by someone else';
    await t.world.decide(old, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('waiting');
    expect(written).toEqual([]);
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(written).toEqual([{ text: 'new' }]);
  });

  it('[CALL7] that can’t be read: no approval is requested, and nothing runs', async () => {
    const written: unknown[] = [];
    const write = {
      ...gated('write', async (args) => written.push(args)),
      fingerprint: async () => {
        throw new Error('no such device');
      },
    };
    const t = await openTestWorld({ script: obedient, tools: [write] });
    expect(await propose(t, { name: 'write' })).toBe('idle');
    expect(await t.world.approvals({})).toEqual([]);
    expect(written).toEqual([]);
  });
});

describe('the tool', () => {
  it('[CALL7.2] [CALL9] redefined across a restart: the old approval does not apply to the new tool', async () => {
    const file = inFolder('harbour.db');
    const before = recorder('remove');
    const t = await openTestWorld({ script: obedient, tools: [before.tool], file });
    await propose(t, remove('a'));
    const old = await t.onlyApproval();
    await closeTestWorld(t);
    const after = recorder('remove', { description: 'removes, and its folder too' });
    const again = await openTestWorld({ script: obedient, tools: [after.tool], file });
    await again.world.decide(old, { decision: 'approve' });
    const chat = await again.world.chat(t.chat.id);
    expect(await chat.settled()).toBe('waiting');
    expect([...before.runs, ...after.runs]).toEqual([]);
    const renewed = await again.onlyApproval();
    expect(renewed.approvalId).not.toBe(old.approvalId);
    await again.world.decide(renewed, { decision: 'approve' });
    expect(await chat.settled()).toBe('idle');
    expect(after.runs).toEqual([{ path: 'a' }]);
    expect(before.runs).toEqual([]);
  });

  it('[CALL7] removed across a restart: approving it fails with an error', async () => {
    const file = inFolder('harbour.db');
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool], file });
    await propose(t, remove('a'));
    const old = await t.onlyApproval();
    await closeTestWorld(t);
    const again = await openTestWorld({ script: obedient, file });
    const chat = await again.world.chat(t.chat.id);
    await again.world.decide(old, { decision: 'approve' });
    expect(await chat.settled()).toBe('idle');
    expect(again.toolEvents(old.toolCallId).at(-1)).toMatchObject({
      type: 'TOOL_EXECUTION_FAILED',
      error: expect.stringContaining('no tool named') as unknown,
    });
  });

  it('[CALL7.2] replaced while the approval is pending: needs approval again', async () => {
    const before = recorder();
    const t = await openTestWorld({ script: obedient, tools: [before.tool] });
    await propose(t, remove('a'));
    const after = recorder('remove', { parameters: { type: 'object', properties: { path: { type: 'string' } } } });
    t.world.addTool(after.tool);
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    expect(await t.chat.settled()).toBe('waiting');
    expect([...before.runs, ...after.runs]).toEqual([]);
  });
});

describe('the call hash', () => {
  it('[CALL7.1] is keyed by the store and covers agent, chat and arguments', async () => {
    const { tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing], agents: ['Ada', 'Bob'] });
    const other = await openTestWorld({ script: obedient, tools: [removing] });
    await t.world.update({ mainAgent: 'ada' });
    await propose(t, remove('a'), remove('a'), remove('b'));
    await propose({ chat: await t.world.chat() }, remove('a'));
    await t.world.update({ mainAgent: 'bob' });
    await propose(t, remove('a'));
    await propose(other, remove('a'));
    const [one, twin, ...others] = (await t.world.approvals()).map(({ callHash }) => callHash);
    const elsewhere = first(await other.world.approvals()).callHash;
    expect(twin).toBe(one);
    expect(new Set([one, ...others, elsewhere]).size).toBe(5);
  });

  it('[CALL7] two equal calls in one response are two invocations: approving one does not approve the other', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'), remove('a'));
    await t.world.decide(first(await t.world.approvals()), { decision: 'approve' });
    expect(await t.chat.settled()).toBe('waiting');
    expect(runs).toHaveLength(1);
    expect(await t.world.approvals()).toHaveLength(1);
  });

  it('[CALL7.1] [SAFE6] covers the real value behind a mask', async () => {
    const { tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(
      t,
      { name: 'remove', arguments: { password: 'my-first-pass-word' } },
      { name: 'remove', arguments: { password: 'my-other-pass-word' } },
    );
    const [one, two] = await t.world.approvals();
    expect(one?.arguments).toEqual(two?.arguments);
    expect(one?.callHash).not.toBe(two?.callHash);
  });
});
