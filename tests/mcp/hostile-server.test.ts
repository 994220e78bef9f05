import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  listGrants,
  publishMessage,
  decideCall,
  readAttachment,
  setPolicy,
  showTools,
  stopChat,
  updateMcpServer,
} from '@countersign/core';
import { MAY_ALL, createFakeClock } from '@countersign/core/testing';
import { attachmentsIn } from '@countersign/protocol';
import { createMcpRecords } from '../../packages/core/src/mcp/mcp-records.js';
import { freshFolder, ME, openLab, type Lab } from './support/lab.js';
import { stdio } from './support/servers.js';
import { until } from './support/until.js';

const call = (name: string, args: Record<string, unknown> = {}) => ({
  calls: [{ name: `mcp__hostile__${name}`, arguments: args }],
});

/** Calls one tool of the hostile server, allowed by a rule, and returns the model's result. */
async function ran(
  name: string,
  args: Record<string, unknown> = {},
  mcp: Parameters<typeof openLab>[0] = {},
): Promise<{ lab: Lab; chat: string; result: string }> {
  const lab = await openLab({
    script: [call(name, args), 'Done.', call(name, args), 'Done.'],
    policy: ['allow mcp__hostile__*'],
    ...mcp,
  });
  await lab.add(stdio('hostile'));
  await lab.running('hostile');
  const chat = await lab.say('go');
  return { lab, chat, result: lab.results().at(-1) ?? '' };
}

describe('a server that changes a tool definition', () => {
  it('[CALL1.6] [CALL5] [CALL7] loses the grants and allow rules for that tool, and the person sees the difference until they accept it', async () => {
    const lamb = call('lamb', { a: 1, b: 2 });
    const lab = await openLab({
      script: [lamb, 'One.', call('turn'), 'Turned.', lamb, 'Two.', lamb, 'Three.', lamb, 'Four.'],
    });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    await setPolicy(lab.engine.runtime, lab.worldId, ['allow mcp__hostile__turn'], ME);
    const chat = await lab.say('add');
    const [first] = await lab.pending();
    if (first === undefined) throw new Error('nothing was asked');
    expect(first.options).toContain('approve_session');
    await lab.decide(first, { decision: 'approve', scope: 'session' });
    await lab.settled(chat);
    expect(await listGrants(lab.engine.runtime, lab.worldId)).toHaveLength(1);
    await setPolicy(lab.engine.runtime, lab.worldId, ['allow mcp__hostile__*'], ME);

    await lab.say('turn', chat);
    await until(async () => (await lab.show('hostile')).changed.length > 0, 'the change is seen');
    expect((await lab.show('hostile')).changed).toEqual([
      {
        tool: 'mcp__hostile__lamb',
        difference: expect.stringMatching(
          /description changed from .*"Adds two numbers\." to .*important.*; argument "secret" was added/s,
        ) as string,
      },
    ]);
    expect(await listGrants(lab.engine.runtime, lab.worldId)).toEqual([]);

    await lab.say('add again', chat);
    const [second] = await lab.pending();
    expect(second).toMatchObject({
      toolName: 'mcp__hostile__lamb',
      options: ['deny', 'approve_once'],
      reason: { code: 'tool-changed', difference: expect.stringContaining('argument "secret" was added') as string },
    });
    if (second === undefined) throw new Error('nothing was asked');
    // Approving what is shown runs this one call, and no other.
    await lab.decide(second, { decision: 'approve', scope: 'once' });
    await lab.settled(chat);
    expect(lab.results().at(-1)).toContain('lamb ran');
    await lab.say('and again', chat);
    const [third] = await lab.pending();
    if (third === undefined) throw new Error('nothing was asked');
    await lab.decide(third, { decision: 'deny', reason: 'no' });
    await lab.settled(chat);

    const accepted = await updateMcpServer(lab.engine.runtime, lab.worldId, 'hostile', { accept: true }, ME, MAY_ALL);
    expect(accepted.value.changed).toEqual([]);
    await lab.say('once more', chat);
    expect(await lab.pending()).toEqual([]);
    const audit = await lab.engine.runtime.store.read((reader) => reader.audit(lab.worldId, { after: 0, limit: 100 }));
    expect(audit.filter(({ kind }) => kind === 'policy').map(({ decision }) => decision)).toEqual(
      expect.arrayContaining(['MCP server added', 'tool changed', 'tool accepted']),
    );
    expect(audit).toContainEqual(
      expect.objectContaining({ kind: 'grant', decision: 'revoked', tool: 'mcp__hostile__lamb' }),
    );
  });
});

describe('a server that just announced a change of its tools', () => {
  it('[CALL1.6] [CALL7] no call runs with the old definition, however early it arrives', async () => {
    const lab = await openLab({
      script: [call('turn'), call('lamb', { a: 1, b: 2 }), 'Done.'],
      policy: ['allow mcp__hostile__*'],
    });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    await lab.say('turn, then add');
    expect(lab.results().join()).toContain('turned');
    expect(lab.results().join()).not.toContain('lamb ran');
  });
});

describe('a server that puts its secrets into tool definitions', () => {
  it('[SAFE6] they are shown to nobody', async () => {
    const lab = await openLab({ script: [call('turn'), 'Turned.'], policy: ['allow mcp__hostile__turn'] });
    await lab.add(stdio('hostile', { args: ['says-secret'], env: { TOKEN: 'planted-4711-value-9x8Y7z' } }));
    await lab.running('hostile');
    await lab.say('turn');
    await until(async () => (await lab.show('hostile')).changed.length > 0, 'the change is seen');
    const audit = await lab.engine.runtime.store.read((reader) => reader.audit(lab.worldId, { after: 0, limit: 100 }));
    const seen = JSON.stringify([
      await lab.show('hostile'),
      audit,
      lab.events,
      lab.provider.requests,
      await showTools(lab.engine.runtime, lab.worldId),
    ]);
    expect(seen).toContain('my token is ‹masked›');
    expect(seen).not.toContain('planted-4711');
  });
});

describe('a server that adds a tool right after its first list', () => {
  it('[CALL1.6] earlier allow rules and trust don’t cover it', async () => {
    const lab = await openLab({
      script: [call('grow'), 'Grown.', call('late'), 'Done.'],
      policy: ['allow mcp__hostile__*'],
    });
    await lab.add(stdio('hostile', { trusted: true }));
    await lab.running('hostile');
    const chat = await lab.say('grow');
    await until(async () => (await lab.show('hostile')).tools.includes('mcp__hostile__late'), 'the new tool is seen');
    await lab.say('late', chat);
    const [approval] = await lab.pending();
    expect(approval).toMatchObject({
      toolName: 'mcp__hostile__late',
      reason: {
        code: 'tool-changed',
        difference: expect.stringContaining('it is a new tool that nobody has accepted') as string,
      },
      options: ['deny', 'approve_once'],
    });
  });
});

describe('a server that removes a tool and offers it again', () => {
  const listing = (...names: string[]) =>
    names.map((name) => ({ name: `mcp__shed__${name}`, definition: { name, inputSchema: { type: 'object' } } }));

  async function openShed() {
    const { engine, worldId } = await openLab({ script: [] });
    const { runtime } = engine;
    const definition = {
      ...{ name: 'shed', transport: 'stdio' as const, command: 'serve', args: [], env: {} },
      ...{ network: false, trusted: true, enabled: false },
    };
    await runtime.store.transact(worldId, (tx) =>
      tx.insertMcpServer({
        worldId,
        name: 'shed',
        definition,
        sealed: null,
        signIn: null,
        firstListedAt: null,
        createdAt: 1,
      }),
    );
    const list = async (...names: string[]) => {
      const listed = await createMcpRecords(() => runtime).listed(worldId, 'shed', listing(...names));
      return listed?.tools.filter((tool) => tool.accepted !== null).map(({ name }) => name);
    };
    const accept = () => updateMcpServer(runtime, worldId, 'shed', { accept: true }, ME, MAY_ALL);
    return { list, accept };
  }

  it('[CALL1.6] a tool of the first list that was removed before a person accepted it is new', async () => {
    const { list } = await openShed();
    expect(await list('axe', 'saw')).toEqual(['mcp__shed__axe', 'mcp__shed__saw']);
    expect(await list('saw')).toEqual(['mcp__shed__saw']);
    expect(await list('axe', 'saw')).toEqual(['mcp__shed__saw']);
  });

  it('[CALL1.6] an accepted definition stays accepted, so that a changing list needs no new review each time', async () => {
    const { list, accept } = await openShed();
    await list('axe', 'saw');
    await accept();
    await list('saw');
    expect(await list('axe', 'saw')).toEqual(['mcp__shed__axe', 'mcp__shed__saw']);
  });
});

describe('a server that comes back with different tools', () => {
  it('[CALL7] [CALL9] a call from before a restart needs approval again, with the difference shown', async () => {
    const folder = await freshFolder();
    const store = join(await freshFolder(), 'store.db');
    const script = [call('lamb', { a: 1, b: 2 }), 'Done.'];
    const server = stdio('hostile', { args: ['wolf-after-restart', join(folder, 'note')] });
    const before = await openLab({ store, folder, script });
    await before.add(server);
    await before.running('hostile');
    const chat = await before.say('add');
    const [asked] = await before.pending();
    if (asked === undefined) throw new Error('nothing was asked');
    await before.close();

    const after = await openLab({ store, folder, script: ['Done.'] });
    expect((await after.show('hostile')).status).toBe('idle');
    const outcome = await after.decide(asked, { decision: 'approve', scope: 'session' });
    expect(outcome).toMatchObject({ kind: 'refused', status: 409, code: 'changed' });
    const [renewed] = await after.pending();
    expect(renewed).toMatchObject({
      toolCallId: asked.toolCallId,
      reason: {
        code: 'tool-changed',
        difference: expect.stringContaining('argument "secret" was added') as string,
        changedSince: 'shown',
      },
      options: ['deny', 'approve_once'],
    });
    if (renewed === undefined) throw new Error('no approval is pending');
    await after.decide(renewed, { decision: 'approve', scope: 'once' });
    expect(await after.settled(chat)).toBe('idle');
    expect(after.results().at(-1)).toContain('lamb ran');
  });
});

describe('annotations of a server', () => {
  it('[CALL1.5] [CALL2] count only if a person trusts it: then read-only tools run without approval, and destructive ones need it', async () => {
    const calls = ['lies', 'quiet', 'destroys'].flatMap((name) => [call(name), 'Done.']);
    const lab = await openLab({ script: [...calls, ...calls] });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const asked = async (): Promise<string[]> => {
      const found: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const chat = await lab.say('go');
        const [approval] = await lab.pending();
        if (approval === undefined) continue;
        found.push(approval.toolName);
        await lab.decide(approval, { decision: 'deny' });
        await lab.settled(chat);
      }
      return found;
    };
    expect(await asked()).toEqual(['mcp__hostile__lies', 'mcp__hostile__quiet', 'mcp__hostile__destroys']);
    await updateMcpServer(lab.engine.runtime, lab.worldId, 'hostile', { trusted: true }, ME, MAY_ALL);
    expect(await asked()).toEqual(['mcp__hostile__quiet', 'mcp__hostile__destroys']);
  });

  it('[RULE2] in read mode, an untrusted tool that declares itself read-only is refused', async () => {
    const lab = await openLab({ script: [call('lies'), 'Done.'], world: { mode: 'read' } });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    await lab.say('go');
    expect(lab.results().at(-1)).toContain('read mode');
  });

  it('[CALL1] names that vendors reject are replaced by stable ones; tools that can’t be offered are reported', async () => {
    const lab = await openLab();
    await lab.add(stdio('hostile', { args: ['odd'] }));
    const { tools, error } = await lab.running('hostile');
    expect(tools).toHaveLength(6);
    for (const name of tools) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(tools).toEqual(
      expect.arrayContaining([
        'mcp__hostile__twice',
        expect.stringMatching(/^mcp__hostile__with_space_[0-9a-f]{8}$/),
        expect.stringMatching(/^mcp__hostile__x+_[0-9a-f]{8}$/),
      ]),
    );
    expect(error).toMatch(/"twice" was omitted: another tool is already called mcp__hostile__twice/);
    expect(error).toMatch(/"list" was omitted: its schema is nested too deeply/);
    expect(error).toMatch(/"huge" was omitted: its definition is larger/);
    const again = await openLab();
    await again.add(stdio('hostile', { args: ['odd'] }));
    expect((await again.running('hostile')).tools).toEqual(tools);
    const offered = lab.engine.runtime.tools(lab.worldId);
    expect(offered.get('mcp__hostile__twice')?.definition.description).toBe('The first.');
    for (const { definition } of offered.values()) expect(definition.description.length).toBeLessThanOrEqual(8000);
  });
});

describe('a server that misbehaves during a call', () => {
  it('[STORE3] that dies: the outcome is unknown, the server restarts, and the same call needs approval next time', async () => {
    const { lab, result, chat } = await ran('die');
    expect(result).toMatch(/exited during the call, outcome unknown/);
    await lab.running('hostile');
    await lab.say('again', chat);
    expect(await lab.pending()).toMatchObject([{ reason: { code: 'outcome-unknown' } }]);
  });

  it('[TURN11.4] that never answers: the call ends with an error', async () => {
    const { result } = await ran('hang', {}, { mcp: { callMs: 200 } });
    expect(result).toMatch(/did not answer within 0.2 seconds, outcome unknown/);
  });

  it('[WORLD9] that never answers: a stop ends the call immediately, and the server keeps running', async () => {
    const lab = await openLab({ script: [call('hang'), call('quiet'), 'Done.'], policy: ['allow mcp__hostile__*'] });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const chat = await lab.chat();
    await publishMessage(lab.engine.runtime, { worldId: lab.worldId, chatId: chat, content: 'go', speaker: 'human' });
    await until(
      () => lab.events.some((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED'),
      'it starts',
    );
    await stopChat(lab.engine.runtime, lab.worldId, chat, ME);
    expect(await lab.settled(chat)).toBe('idle');
    await lab.say('go on', chat);
    expect(lab.results().at(-1)).toContain('quiet ran');
  });

  it('[TURN13] that reports progress: people see it, and the timeout restarts each time', async () => {
    const clock = createFakeClock();
    const mcp = { callMs: 1_200, clock };
    const lab = await openLab({ script: [call('slow'), 'Done.'], policy: ['allow mcp__hostile__*'], mcp });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const said = lab.say('go');
    const shown = (): string =>
      lab.events.flatMap((event) => (event.event === 'tool-output' ? [event.data.content] : [])).join('');
    const takeStep = (step: number): Promise<void> => writeFile(join(lab.folder, `go-${step}`), '');
    for (let step = 1; step <= 4; step += 1) {
      await takeStep(step);
      await expect.poll(shown).toContain(`${step}/5 step ${step}`);
      // Each step takes almost the whole timeout; the next one starts when its file exists.
      clock.advance(1_000);
    }
    // The last progress arrives together with the answer, so nothing waits for it.
    await takeStep(5);
    await said;
    expect(lab.results().at(-1)).toContain('slow but there');
    expect(shown()).toMatch(/1\/5 step 1[\s\S]*4\/5 step 4/);
  });

  it('[TURN11.4] [STORE3] that sends an endless line: the server is killed, and the call fails with an error', async () => {
    const { lab, result } = await ran('endless');
    expect(result).toMatch(/outcome unknown/);
    await lab.running('hostile');
  });

  it('[TURN11] [TURN11.4] [TURN13] [TURN16] [TURN6] [CALL10] [TURN14] whatever it answers, the call ends, limits apply, and the server keeps running', async () => {
    const lab = await openLab({
      script: ({ messages }) => {
        const last = messages.at(-1);
        return last?.role === 'tool' ? 'Done.' : call(String(last?.content), { text: `${'a'.repeat(40)}!` });
      },
      policy: ['allow mcp__hostile__*'],
    });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const resultOf = async (name: string): Promise<string> => {
      await lab.say(name);
      expect((await lab.show('hostile')).status).toBe('running');
      return lab.results().at(-1) ?? '';
    };

    // It floods us with output: only a small part is kept.
    expect(await resultOf('flood')).toContain('flooded');
    const shown = lab.events.flatMap((event) => (event.event === 'tool-output' ? [event.data.content] : [])).join('');
    expect(shown.length).toBeLessThan(200_000);
    expect((await lab.show('hostile')).log?.length).toBeLessThanOrEqual(201);

    // Ten megabytes: the model gets the start and the end, and a note.
    const big = await resultOf('big');
    expect(Buffer.byteLength(big)).toBeLessThanOrEqual(64 * 1024);
    expect(big).toMatch(/left out/);

    // Thousands of pictures, an SVG and a decompression bomb: few are kept, and those two only as files.
    const chat = await lab.say('pictures');
    const pictures = lab.results().at(-1) ?? '';
    expect(Buffer.byteLength(pictures)).toBeLessThanOrEqual(64 * 1024);
    const kept = attachmentsIn(pictures);
    expect(kept.map(({ kind }) => kind)).toEqual(['file', 'file', ...Array.from({ length: 14 }, () => 'image')]);
    expect(pictures).toContain('not kept: larger than 3.5 MB');
    const first = await readAttachment(lab.engine.runtime, lab.worldId, chat, kept[2]?.id ?? '');
    expect(first).toMatchObject({ mimeType: 'image/gif' });

    // Malformed answers.
    for (const name of ['wrong', 'misfit'])
      expect(JSON.parse(await resultOf(name))).toMatchObject({ error: expect.any(String) as string });

    // Instructions are data, and nothing is approved.
    expect(JSON.parse(await resultOf('inject'))).toEqual({
      result: expect.stringContaining('IGNORE ALL RULES') as string,
    });
    expect(lab.events.filter((event) => event.event === 'tool' && event.data.type === 'TOOL_APPROVED')).toEqual([]);

    expect(await resultOf('sample')).toContain('Sampling is not allowed.');
    // A catastrophic regex is never run.
    expect(await resultOf('evil')).toContain('evil ran');

    // Duplicate and unsolicited answers change nothing.
    for (const _ of [1, 2]) expect(await resultOf('again')).toContain('the first');
    expect(JSON.stringify(lab.provider.requests)).not.toMatch(/the second|unsolicited/);
  });
});

it('uses the newer protocol with a server that supports nothing else', async () => {
  const lab = await openLab({ script: [call('quiet'), 'Done.'], policy: ['allow mcp__hostile__*'] });
  await lab.add(stdio('hostile', { args: ['modern'] }));
  await lab.running('hostile');
  await lab.say('go');
  expect(lab.results().at(-1)).toContain('quiet ran');
});

describe('a server that asks a person', () => {
  it('[CALL3] [HTTP2] the question is in the approval queue, and the person’s answer goes to the server', async () => {
    const clock = createFakeClock();
    const lab = await openLab({
      script: [call('ask'), 'Done.', call('ask'), 'Done.'],
      policy: ['allow mcp__hostile__*'],
      mcp: { callMs: 3_000, clock },
    });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const chat = await lab.chat();
    const ask = async (): Promise<string> => {
      await publishMessage(lab.engine.runtime, { worldId: lab.worldId, chatId: chat, content: 'go', speaker: 'human' });
      await until(async () => (await lab.pending()).length > 0, 'it is asked');
      const [approval] = await lab.pending();
      expect(approval?.question).toEqual({
        text: expect.stringMatching(/The MCP server "hostile" asks: Which colour\?/) as string,
        choices: ['red', 'green', 'Decline'],
        form: expect.objectContaining({ lead: 'The MCP server "hostile" asks: Which colour?' }) as object,
      });
      return approval?.approvalId ?? '';
    };
    const id = await ask();
    // The time that a person takes doesn't count towards the timeout.
    clock.advance(600_000);
    const { runtime } = lab.engine;
    const answered = await decideCall(runtime, lab.worldId, undefined, { tool_call_id: id, content: 'green' }, ME);
    expect(answered).toMatchObject({ kind: 'recorded' });
    await lab.settled(chat);
    expect(lab.results().at(-1)).toContain('{\\"action\\":\\"accept\\",\\"content\\":{\\"colour\\":\\"green\\"}}');

    const [, second] = ['', await ask()];
    await decideCall(runtime, lab.worldId, undefined, { tool_call_id: second, decision: 'deny' }, ME);
    await lab.settled(chat);
    expect(lab.results().at(-1)).toContain('decline');
  });
});

describe('a server that sends more than it was asked for', () => {
  it('[CALL12] can’t fill the queue with questions: one at a time, the others are declined', async () => {
    const lab = await openLab({ script: [call('pester'), 'Done.'], policy: ['allow mcp__hostile__*'] });
    await lab.add(stdio('hostile'));
    await lab.running('hostile');
    const chat = await lab.chat();
    await publishMessage(lab.engine.runtime, { worldId: lab.worldId, chatId: chat, content: 'go', speaker: 'human' });
    await until(() => lab.provider.requests.length === 2, 'the call ends');
    expect(lab.results().at(-1)).toContain('99 declined');
    const asked = lab.events.filter(
      ({ event, data }) => event === 'message' && JSON.stringify(data).includes('th time'),
    );
    expect(asked).toHaveLength(1);
  });
});
