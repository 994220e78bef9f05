import { proposeExternal } from '@countersign/core';
import { afterEach, describe, expect, it } from 'vitest';
import { canMountRuns, closeRuns, openRuns, type RunFixture } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

/** A run that waits for a decision. */
async function openWaiting(...[files, options]: Parameters<typeof openRuns>) {
  const t = await openRuns({ 'a.txt': 'old\n', ...files }, options);
  return { t, ...(await changed(t)) };
}

async function changed(t: RunFixture, text = 'new\n') {
  const run = await t.start();
  t.write(run, { 'a.txt': text });
  return { run, waiting: await t.end(run) };
}

describe.runIf(canMount)('[RUN15.1] a run is applied only by the call that was made for it', () => {
  it('is not offered to agents, and their calls of it fail', async () => {
    let id = '';
    let offered: string[] = [];
    const { t, run } = await openWaiting(
      {},
      {
        script: ({ messages, tools }) => {
          offered = tools.map(({ name }) => name);
          if (messages.some(({ role }) => role === 'tool')) return 'done';
          return { calls: [{ name: 'run', arguments: { run: id, program: ['make', 'all'] } }] };
        },
        rules: ['allow *', 'allow run writing ** removing **'],
      },
    );
    ({ id } = run);
    const agent = { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*', 'run'] };
    await t.t.api('POST', '/worlds/alpha/agents', agent);
    const other = await t.start();
    t.write(other, { '.env': 'x' });
    ({ id } = await t.end(other));
    const { body: chat } = await t.t.api<{ id: string }>('POST', '/worlds/alpha/chats', {});
    await t.t.api('POST', `/worlds/alpha/chats/${chat.id}/messages`, { content: 'hello' });
    await t.t.engine.quiet();
    const { body } = await t.t.api<{ items: { role: string; content: string }[] }>(
      'GET',
      `/worlds/alpha/chats/${chat.id}/messages`,
    );
    expect(body.items.find(({ role }) => role === 'tool')?.content).toContain('There is no tool named');
    expect(offered).not.toContain('run');
    expect(await t.show(other)).toMatchObject({ state: 'waiting' });
    const tools = await t.t.api<{ items: { name: string }[] }>('GET', '/worlds/alpha/tools');
    expect(tools.body.items.map(({ name }) => name)).not.toContain('run');
  });

  it('[RUN7] starts only for a supervisor that lives on this machine, and for hosts without a scheme or path', async () => {
    const { t } = await openWaiting();
    const { pid } = process;
    await expect(t.start({ supervisor: { pid, started: '1' } })).rejects.toThrow('must be a process on the machine');
    for (const host of ['https://a.example', 'a.example/path', 'me@a.example', 'a b', ''])
      await expect(t.start({ allowHosts: [host] })).rejects.toThrow('Give a name or an address');
    expect(await t.start({ allowHosts: ['a.example', 'a.example:443', '[::1]:80'] })).toMatchObject({ world: 'alpha' });
  });

  it('cannot be proposed by a program, as the agent of runs or another', async () => {
    const { t, run } = await openWaiting();
    const { agent: external } = (
      await t.t.api<{ agent: string }>('POST', '/worlds/alpha/external/agents', {
        name: 'Claude',
        program: 'mcp',
        tools: ['*'],
      })
    ).body;
    const by = { who: { kind: 'person', id: 'olga', name: 'Olga' }, via: 'test' } as const;
    for (const agentId of [external, 'run']) {
      const { id, chatId } = await proposeExternal(
        t.t.engine.runtime,
        'alpha',
        {
          agentId,
          session: 's',
          key: 'k',
          program: 'mcp',
          toolName: 'run',
          arguments: { run: run.id, program: ['make', 'all'] },
          title: 't',
          runs: { where: 'here' },
          signal: new AbortController().signal,
        },
        { by, credential: 'c', claim: '' },
      );
      const call = await t.t.engine.runtime.store.read((reader) => reader.invocation(id));
      expect([chatId === '', call?.status]).toEqual([false, 'failed']);
    }
    const named = await t.t.api('POST', '/worlds/alpha/external/agents', { name: 'Run', program: 'run' });
    expect(named.status).toBe(422);
    expect(t.read('a.txt')).toBe('old\n');
  });

  it('takes no edits, applies once, and no other world can name it', async () => {
    const { t, run, waiting } = await openWaiting();
    const { waiting: other, run: second } = await changed(t, 'other\n');
    const edited = { arguments: { run: second.id, program: ['make', 'all'] } };
    expect((await t.decide(waiting, 'approve', edited)).status).not.toBe(200);
    expect(t.read('a.txt')).toBe('old\n');
    await t.t.api('POST', '/worlds', { name: 'beta' });
    for (const path of ['', '/apply', '/discard', '/end']) {
      const method = path === '' ? 'GET' : 'POST';
      expect((await t.t.api(method, `/worlds/beta/runs/${run.id}${path}`)).status).toBe(404);
    }
    const decisions = await Promise.all([t.decide(waiting, 'approve'), t.decide(waiting, 'approve')]);
    expect(decisions.map(({ status }) => status)).toEqual([200, 200]);
    await t.reach(run, 'applied');
    expect(t.read('a.txt')).toBe('new\n');
    // The other one was made for the old content.
    await t.decide(other, 'approve');
    await t.reach(second, 'conflict');
    expect(t.read('a.txt')).toBe('new\n');
  });

  it('applies nothing if the draft was changed after it was sealed', async () => {
    const { t, run, waiting } = await openWaiting();
    t.write(run, { 'a.txt': 'changed\n', 'b.txt': 'added\n' });
    await t.decide(waiting, 'approve');
    const failed = await t.reach(run, 'failed');
    expect(failed.reason).toContain('changed after');
    expect([t.read('a.txt'), t.read('b.txt')]).toEqual(['old\n', undefined]);
    // People can look at it again as it is now.
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`);
    await t.decide(await t.show(run), 'approve');
    await t.reach(run, 'applied');
    expect([t.read('a.txt'), t.read('b.txt')]).toEqual(['changed\n', 'added\n']);
  });

  it('is not applied by an old call, after it was asked about again', async () => {
    const { t, run, waiting } = await openWaiting();
    await t.decide(waiting, 'deny');
    await t.reach(run, 'denied');
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`);
    const again = await t.show(run);
    expect(again.callId).not.toBe(waiting.callId);
    const { kept } = t.drafts;
    const signed = { effectHash: again.effect?.effectHash ?? '', rules: {} };
    await expect(kept.apply(run.id, waiting.callId ?? '', signed)).rejects.toThrow('nothing was applied');
    await expect(kept.apply(run.id, again.callId ?? '', { ...signed, effectHash: '0' })).rejects.toThrow(
      'nothing was applied',
    );
    expect(t.read('a.txt')).toBe('old\n');
  });
});
