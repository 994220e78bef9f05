import { mkdir, rename, symlink } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askHuman, createFakeClock, defineTool, openWorld, scripted, type Approve, type Decision } from './index.js';
import { closeTestWorld, closeTestWorlds, deferred, openTestWorld, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { obedient, propose, recorder, remove } from './testing/obedient.js';

afterEach(closeTestWorlds);
const inFolder = freshFolder();

async function openWith(approve: Approve, more: TestWorldOptions = {}) {
  const { runs, tool } = recorder();
  const t = await openTestWorld({ script: obedient, tools: [tool], approve, ...more });
  return { ...t, runs };
}

describe('the `approve` function', () => {
  it('[LIB2] decides a call like a person, only as it was shown, and the program is recorded as the signer', async () => {
    const shown: string[] = [];
    const t = await openWith(({ message, arguments: args }, { worldId }) => {
      shown.push(`${worldId}: ${message}`);
      const isScratch = JSON.stringify(args).includes('scratch');
      return isScratch ? { decision: 'approve' } : { decision: 'deny', reason: 'keep it' };
    });
    expect(await propose(t, remove('scratch.tmp'), remove('notes.txt'))).toBe('idle');
    expect(t.runs).toEqual([{ path: 'scratch.tmp' }]);
    expect(shown.length).toBe(2);
    const decided = (await t.world.audit()).filter(({ kind }) => kind === 'decision');
    expect(decided.map(({ decision, who, via }) => `${decision} ${who?.id} ${via}`).toSorted()).toEqual([
      'approve program library',
      'deny program library',
    ]);
    expect((await t.world.verifyAudit()).ok).toBe(true);
    expect(t.errors).toEqual([]);
  });

  it.each<[string, () => unknown, string[]]>([
    ['returns undefined', () => undefined, []],
    ['throws', () => Promise.reject(new Error('no network')), ['no network']],
    ['returns true', () => true, ['it must return a decision']],
    ['returns text', () => 'approve', ['it must return a decision']],
    ['misspells its decision', () => ({ decision: 'approved' }), ['decision']],
    ['adds an unknown key', () => ({ decision: 'approve', why: 'x' }), ['why']],
    ['chooses an impossible scope', () => ({ decision: 'approve', rule: 'allow *' }), ['rule']],
  ])('[LIB2.1] leaves the call waiting if it %s', async (_, answer, reported) => {
    const t = await openWith(answer as Approve);
    expect(await propose(t, remove('a'))).toBe('waiting');
    expect(t.runs).toEqual([]);
    expect(t.errors.length).toBe(reported.length);
    for (const [at, part] of reported.entries()) expect(String(t.errors[at]?.error)).toContain(part);
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    expect([await t.chat.settled(), t.runs.length]).toEqual(['idle', 1]);
  });

  it('[LIB2.1] leaves the call waiting after a timeout, and ignores a late answer', async () => {
    const clock = createFakeClock();
    const answer = deferred<Decision>();
    const asked = deferred<AbortSignal>();
    const approve: Approve = (__, { signal }) => {
      asked.resolve(signal);
      return answer.promise;
    };
    const t = await openWith(approve, { clock, approveTimeoutMs: 1000 });
    await t.chat.send(JSON.stringify([remove('a')]));
    const signal = await asked.promise;
    clock.advance(1000);
    expect(signal.aborted).toBe(true);
    answer.resolve({ decision: 'approve' });
    expect([await t.chat.settled(), t.runs]).toEqual(['waiting', []]);
    expect(t.errors.map(({ error, what }) => `${what}: ${String(error)}`)).toEqual([
      'the call to remove is still waiting for a decision: Error: `approve` took too long',
    ]);
    await t.world.quiet();
    expect(t.runs).toEqual([]);
  });

  it('[LIB2.1] is notified when a person was faster, and its own answer changes nothing', async () => {
    const answer = deferred<Decision>();
    const asked = deferred<AbortSignal>();
    const t = await openWith((__, { signal }) => {
      asked.resolve(signal);
      return answer.promise;
    });
    await t.chat.send(JSON.stringify([remove('a')]));
    const signal = await asked.promise;
    await t.world.decide(await t.onlyApproval(), { decision: 'deny' });
    expect(signal.aborted).toBe(true);
    answer.resolve({ decision: 'approve' });
    expect([await t.chat.settled(), t.runs, t.errors]).toEqual(['idle', [], []]);
  });

  it('[LIB2.2] is not called for questions or for calls with masked arguments', async () => {
    const asked: string[] = [];
    const { runs, tool } = recorder();
    const t = await openWith(
      ({ toolName }) => {
        asked.push(toolName);
        return { decision: 'approve' };
      },
      { tools: [tool, askHuman()] },
    );
    const key = `sk-ant-api03-${'x9Kq2'.repeat(18)}`;
    const question = { name: 'ask_human', arguments: { question: 'Which one?' } };
    expect(await propose(t, question, { name: 'remove', arguments: { path: 'a', apiKey: key } })).toBe('waiting');
    expect([asked, runs, (await t.world.approvals()).length]).toEqual([[], [], 2]);
  });

  it('[LIB2.3] is called after a restart for calls that are still waiting', async () => {
    const file = inFolder('restart.db');
    const first = await openWith(() => undefined, { file });
    expect(await propose(first, remove('a'))).toBe('waiting');
    await closeTestWorld(first);
    const t = await openWith(() => ({ decision: 'approve' }), { file });
    await t.world.quiet();
    expect(t.runs).toEqual([{ path: 'a' }]);
  });

  it('[LIB2] [CALL7] an answer for a call that changed in the meantime does not count, and the function is called for the new one', async () => {
    for (const name of ['mine', 'theirs']) await mkdir(inFolder(name));
    await symlink(inFolder('mine'), inFolder('work'));
    const folders: string[] = [];
    const t = await openWith(
      async ({ workingDirectory }) => {
        folders.push(workingDirectory);
        if (folders.length > 1) return { decision: 'deny' };
        await symlink(inFolder('theirs'), inFolder('new'));
        await rename(inFolder('new'), inFolder('work'));
        return { decision: 'approve', callHash: 'forged' };
      },
      { workingDirectory: inFolder('work') },
    );
    expect(await propose(t, remove('a'))).toBe('idle');
    expect([folders.map((path) => path.split('/').at(-1)), t.runs]).toEqual([['mine', 'theirs'], []]);
  });

  it('[LIB2.4] is called again for the call that it edited, and approves what it was called with', async () => {
    const shown: unknown[] = [];
    const t = await openWith((approval) => {
      shown.push(approval.arguments);
      // Changes what it was given, too.
      const wanted = { path: 'b' };
      Object.assign(approval, { arguments: wanted });
      return { decision: 'approve', arguments: wanted };
    });
    expect(await propose(t, remove('a'))).toBe('idle');
    expect([shown, t.runs, t.errors]).toEqual([[{ path: 'a' }, { path: 'b' }], [{ path: 'b' }], []]);
  });

  it('[LIB2.5] gets arguments of the type that the tool declares', async () => {
    const euros: number[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({ to: z.string(), euros: z.number(), note: z.string().default('') }),
      approval: { required: true },
      execute: (args) => euros.push(args.euros),
    });
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      parameters: z.object({ at: z.string() }),
      execute: () => 'nothing',
    });
    const world = await openWorld(':memory:', {
      agents: [{ name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] }],
      providers: [scripted(obedient)],
      tools: [pay, look],
      approve: (approval) => {
        switch (approval.toolName) {
          case 'pay': {
            const amount: number = approval.arguments.euros;
            const note: string | undefined = approval.arguments.note;
            // @ts-expect-error: the tool has no such argument
            void approval.arguments.amount;
            return note === undefined && amount <= 20 ? { decision: 'approve' } : undefined;
          }
          case 'look':
            return approval.arguments.at === '' ? { decision: 'deny' } : undefined;
          // @ts-expect-error: there is no such tool
          case 'fly':
            return undefined;
          default: {
            const unknownArguments: unknown = approval.arguments;
            return unknownArguments === undefined ? undefined : { decision: 'deny' };
          }
        }
      },
    });
    const chat = await world.chat();
    const amounts = [5, 50].map((amount) => ({ name: 'pay', arguments: { to: 'water', euros: amount } }));
    await chat.send(JSON.stringify(amounts));
    expect([await chat.settled(), euros]).toEqual(['waiting', [5]]);
    const [waiting] = await world.approvals();
    expect(waiting?.toolName === 'pay' ? waiting.arguments.euros + 1 : 0).toBe(51);
    await world.close();
  });
});
