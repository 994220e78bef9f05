import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anthropic, defineTool, google, openai, openaiCompatible, openWorld, scripted, shellCmd } from './index.js';
import { closeTestWorlds, openTestWorld, type TestWorld } from './testing/fixture.js';
import { obedient, propose, recorder } from './testing/obedient.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-'));
});
afterEach(async () => {
  await closeTestWorlds();
  await rm(folder, { recursive: true, force: true });
});

const circular: Record<string, unknown> = {};
circular['itself'] = circular;

/** Values of wrong types that a JavaScript program may pass. */
const misfits: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['NaN', Number.NaN],
  ['-1.5', -1.5],
  ['a symbol', Symbol('s')],
  ['a bigint', 1n],
  ['an array of undefined', [undefined]],
  ['a circular object', circular],
  ['a date', new Date(0)],
  ['a bare object', Object.assign(Object.create(null) as object, { a: 1 })],
];

/**
 * Every function of the library, with the wrong value for each argument. The type `never` allows values that TypeScript would reject.
 */
const calls: Record<string, (t: TestWorld, misfit: never) => unknown> = {
  content: (t, misfit) => t.chat.send(misfit),
  sender: (t, misfit) => t.chat.send('hi', { sender: misfit }),
  clientMessageId: (t, misfit) => t.chat.send('hi', { clientMessageId: misfit }),
  after: (t, misfit) => t.chat.messages({ after: misfit }),
  limit: (t, misfit) => t.chat.messages({ limit: misfit }),
  'the agent of a memory': (t, misfit) => t.chat.memory(misfit),
  'a chat id': (t, misfit) => t.world.chat(misfit),
  'a new agent': (t, misfit) => t.world.addAgent(misfit),
  'an agent id': (t, misfit) => t.world.updateAgent(misfit, {}),
  'a change of an agent': (t, misfit) => t.world.updateAgent('ada', misfit),
  'the agent to remove': (t, misfit) => t.world.removeAgent(misfit),
  'a tool': (t, misfit) => t.world.addTool(misfit),
  'a tool’s definition': (t, misfit) => t.world.addTool({ definition: misfit } as never),
  'the name of an event': (t, misfit) => t.world.on(misfit, () => undefined),
  'a listener': (t, misfit) => t.world.on('message', misfit),
  'a listener to all': (t, misfit) => t.world.subscribe(misfit),
  'a status': (t, misfit) => t.world.approvals({ status: misfit }),
  'a filter’s chat': (t, misfit) => t.world.approvals({ chatId: misfit }),
  'an approval id': (t, misfit) => t.world.approval(misfit),
  'an approval': (t, misfit) => t.world.decide(misfit, { decision: 'approve' }),
  'a decision': async (t, misfit) => t.world.decide(await t.onlyApproval(), { decision: misfit }),
  'edited arguments': async (t, misfit) =>
    t.world.decide(await t.onlyApproval(), { decision: 'approve', arguments: { a: [Number.NaN, misfit] } }),
  'a reason': async (t, misfit) => t.world.decide(await t.onlyApproval(), { decision: 'deny', reason: misfit }),
  'a signer': async (t, misfit) => t.world.decide(await t.onlyApproval(), { decision: 'deny' }, { who: misfit }),
  'the owner of a decision': (t, misfit) => t.world.decideCall(misfit, { tool_call_id: 'x', decision: 'approve' }),
  'a grant': (t, misfit) => t.world.revoke(misfit),
  'a policy': (t, misfit) => t.world.setPolicy(misfit),
  'a rule': (t, misfit) => t.world.setPolicy([misfit]),
  'a change of a world': (t, misfit) => t.world.update(misfit),
  'a mode': (t, misfit) => t.world.update({ mode: misfit }),
  'a page of the audit': (t, misfit) => t.world.audit({ after: misfit }),
  'a client': (t, misfit) => t.world.clients.register(t.world.id, misfit),
  'the label of a client': (t, misfit) => t.world.clients.register(t.world.id, { label: misfit, approvals: true }),
  'the tools of a client': (t, misfit) =>
    t.world.clients.register(t.world.id, { label: 'a', approvals: true, tools: misfit }),
  'a client’s answer': (t, misfit) => t.world.clients.answer('client_x', misfit),
  'a tool to define': (_, misfit) => defineTool(misfit),
  'a tool’s parameters': (_, misfit) =>
    defineTool({ name: 'a', description: 'b', parameters: misfit, execute: () => 1 }),
  'what a tool does': (_, misfit) =>
    defineTool({ name: 'a', description: 'b', parameters: z.object({}), execute: misfit }),
  'a file': (_, misfit) => openWorld(misfit),
  'a clock': (_, misfit) => openWorld(':memory:', { clock: misfit }),
  'a provider': (_, misfit) => openWorld(':memory:', { providers: [misfit] }),
  'tools of a world': (_, misfit) => openWorld(':memory:', { tools: misfit }),
  'agents of a world': (_, misfit) => openWorld(':memory:', { agents: misfit }),
  'an agent of a world': (_, misfit) => openWorld(':memory:', { agents: [misfit] }),
  'how to write': (_, misfit) => openWorld(':memory:', { synchronous: misfit }),
  'who is told of errors': (_, misfit) => openWorld(':memory:', { onError: misfit }),
};

async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error;
  }
}

describe('a value of the wrong type', () => {
  it.each(Object.entries(calls))('[HTTP1] as %s is refused with an error, and nothing is stored', async (_, call) => {
    const { runs, tool } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [tool], policy: ['ask remove'] });
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    const before = await everything(t);
    const wrong: unknown[] = [];
    for (const [what, misfit] of misfits) {
      const outcome = await outcomeOf(() => call(t, misfit as never));
      const isExplained = outcome instanceof CountersignError && ['invalid', 'not-found'].includes(outcome.code);
      if (!isExplained) wrong.push([what, outcome]);
    }
    expect(wrong).toEqual([]);
    expect(await everything(t)).toEqual(before);
    expect(runs).toEqual([]);
    expect(t.errors).toEqual([]);
  });
});

/** Every options object that a program passes, with an unknown key. `never` as above. */
const surplus: Record<string, (t: TestWorld, more: never) => unknown> = {
  openWorld: (_, more: object) => openWorld(join(folder, 'new.db'), more),
  'an agent of openWorld': (_, more: object) =>
    openWorld(join(folder, 'new.db'), { agents: [{ name: 'Bo', provider: 'scripted', model: 'any', ...more }] }),
  'a tool of openWorld': (_, more: object) =>
    openWorld(join(folder, 'new.db'), { tools: [{ ...recorder().tool, ...more }] }),
  'the definition of a tool': (t, more: object) =>
    t.world.addTool({ ...recorder().tool, definition: { ...recorder().tool.definition, ...more } }),
  defineTool: (_, more: object) =>
    defineTool({ name: 'a', description: 'b', parameters: z.object({}), execute: () => 1, ...more }),
  addAgent: (t, more: object) => t.world.addAgent({ name: 'Bo', provider: 'scripted', model: 'any', ...more }),
  updateAgent: (t, more: object) => t.world.updateAgent('ada', more),
  update: (t, more: object) => t.world.update(more),
  send: (t, more: object) => t.chat.send('hi', more),
  messages: (t, more: object) => t.chat.messages(more),
  approvals: (t, more: object) => t.world.approvals(more),
  decide: async (t, more: object) => t.world.decide(await t.onlyApproval(), { decision: 'approve', ...more }),
  'a signer': async (t, more: object) => t.world.decide(await t.onlyApproval(), { decision: 'approve' }, more),
  checkPolicy: (t, more: object) => t.world.checkPolicy({ tool: 'remove', arguments: {}, ...more }),
  audit: (t, more: object) => t.world.audit(more),
  'a client': (t, more: object) => t.world.clients.register(t.world.id, { label: 'a', approvals: true, ...more }),
  openai: (_, more: object) => openai(more),
  anthropic: (_, more: object) => anthropic(more),
  google: (_, more: object) => google(more),
  openaiCompatible: (_, more: object) => openaiCompatible({ name: 'a', baseURL: 'http://127.0.0.1:1/v1', ...more }),
  scripted: (_, more: object) => scripted([], more),
  shellCmd: (_, more: object) => shellCmd({ sandbox: { kind: 'none', reason: 'a test' }, ...more }),
};

describe('an unknown key', () => {
  it.each(Object.entries(surplus))('[CALL15] [HTTP1] in %s is refused with an error that names it', async (_, call) => {
    const { runs, tool } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [tool], policy: ['ask remove'] });
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    const before = await everything(t);
    const outcome = await outcomeOf(() => call(t, { needsApproval: true } as never));
    expect(outcome).toBeInstanceOf(CountersignError);
    expect(outcome).toMatchObject({ code: 'invalid', field: expect.stringContaining('needsApproval') as unknown });
    expect(await everything(t)).toEqual(before);
    expect(runs).toEqual([]);
    expect(existsSync(join(folder, 'new.db'))).toBe(false);
  });
});

async function everything({ world, chat }: TestWorld): Promise<unknown> {
  return await Promise.all([
    chat.messages(),
    world.agents(),
    world.approvals({}),
    world.grants(),
    world.policy(),
    world.audit(),
    world.verifyAudit(),
  ]);
}

describe('a change', () => {
  it('[CALL15] with an undefined value does not loosen anything', async () => {
    const t = await openTestWorld({ mode: 'read', agents: [{ name: 'Ada', policy: ['deny remove'] }] });
    await expect(t.world.update({ mode: undefined } as never)).rejects.toMatchObject({ field: 'mode' });
    await expect(t.world.updateAgent('ada', { policy: undefined })).rejects.toMatchObject({ field: 'policy' });
    expect(await t.world.agents()).toMatchObject([{ policy: ['deny remove'] }]);
  });

  it('[CALL15] opening a world with undefined options keeps its settings', async () => {
    const file = join(folder, 'harbour.db');
    const { runs, tool } = recorder();
    const first = await openWorld(file, { mode: 'read' });
    await first.close();
    const t = await openTestWorld({ file, script: obedient, tools: [tool], mode: undefined } as never);
    expect(await propose(t, { name: 'remove' })).toBe('idle');
    expect(runs).toEqual([]);
  });
});

describe('sending', () => {
  it('[WORLD4] ignores options that would set the speaker or the chat', async () => {
    const t = await openTestWorld();
    const other = await t.world.chat();
    await t.chat.send('hi', { speaker: 'agent', chatId: other.id, content: 'other words' } as never);
    await t.chat.settled();
    expect((await t.chat.messages())[0]).toMatchObject({ role: 'user', sender: 'human', content: 'hi' });
    expect(await other.messages()).toEqual([]);
  });
});

describe('editing', () => {
  it('[CALL7] reads the arguments only once, so a getter can’t change what is approved, recorded and run', async () => {
    const { runs, tool } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [tool] });
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    let looks = 0;
    const edited = {
      get path() {
        looks += 1;
        return `look ${looks}`;
      },
    };
    await t.world.decide(await t.edit(edited), { decision: 'approve' });
    await t.chat.settled();
    const approved = t.toolEvents().find(({ type }) => type === 'TOOL_APPROVED');
    expect(approved).toMatchObject({ arguments: runs[0] });
    expect(runs).toHaveLength(1);
  });
});

describe('opening', () => {
  it('[CALL17.3] a world can be opened in a file with a reserved name', async () => {
    for (const [name, world] of [
      ['world.db', 'world 1'],
      ['Human.db', 'Human 1'],
      ['....db', 'world 1'],
      [`${'a'.repeat(63)}-b.db`, 'a'.repeat(63)],
      [`${'a'.repeat(63)}𝒳.db`, 'a'.repeat(63)],
    ] as const) {
      const opened = await openWorld(join(folder, name));
      expect(opened.name).toBe(world);
      await opened.close();
    }
  });

  it('[STORE7] with an invalid option leaves no file behind', async () => {
    const file = join(folder, 'new.db');
    await expect(openWorld(file, { synchronous: 'OFF' } as never)).rejects.toMatchObject({ field: 'synchronous' });
    expect(existsSync(file)).toBe(false);
  });

  it('[CALL2] with two tools or providers of the same name is refused as ambiguous', async () => {
    const { tool } = recorder();
    const provider = { name: 'p', generate: () => Promise.reject(new Error('never')) };
    await expect(openWorld(':memory:', { tools: [tool, tool] })).rejects.toMatchObject({ field: 'tools.1' });
    await expect(openWorld(':memory:', { providers: [provider, provider] })).rejects.toMatchObject({
      field: 'providers.1',
    });
  });

  const agent = { name: 'Ada', provider: 'scripted', model: 'any' };
  const patterned = (pattern: string) =>
    defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({ amount: z.number() }),
      approval: { required: true, pattern },
      execute: () => 'paid',
    });
  it.each([
    ['two agents of one name', () => ({ agents: [agent, { ...agent, name: 'ADA' }] }), 'agents.1', 'already one named'],
    [
      'a tool that is misspelled',
      () => ({ agents: [{ ...agent, tools: ['py'] }] }),
      'agents.0.tools.0',
      'Did you mean "pay"?',
    ],
    [
      'a glob that matches nothing',
      () => ({ agents: [{ ...agent, tools: ['pay', 'read_*'] }] }),
      'agents.0.tools.1',
      'Add the tool to `tools`',
    ],
    [
      'an unreadable pattern',
      () => ({ tools: [patterned('"amount')] }),
      'tools.0.definition.approval.pattern',
      'character ',
    ],
    [
      'an invalid base URL',
      () => ({ providers: [openai({ baseURL: 'localhost' })] }),
      'baseURL',
      'openai: baseURL: the base URL',
    ],
    ['a wrong script', () => ({ providers: [scripted([{ says: 'hi' } as never])] }), 'says', 'scripted: reply 1: '],
    [
      'text instead of a script',
      () => ({ providers: [scripted('hi' as never)] }),
      'script',
      'must be a list of replies',
    ],
  ] as const)('[LIB1.5] with %s is refused, and leaves no file behind', async (_, options, field, words) => {
    const file = join(folder, 'new.db');
    const open = async () => await openWorld(file, { tools: [patterned('amount <= 5')], ...options() });
    await expect(open()).rejects.toMatchObject({
      code: 'invalid',
      field,
      message: expect.stringContaining(words) as string,
    });
    expect(existsSync(file)).toBe(false);
  });

  it('[LIB1.5] with tools that an MCP server or a client may add later is accepted', async () => {
    const tools = ['*', 'pay', 'p*', 'mcp__github__*', 'm*', 'app__*'];
    const opened = await openWorld(':memory:', {
      providers: [scripted([])],
      tools: [patterned('amount <= 5')],
      agents: [{ ...agent, tools }],
    });
    expect(await opened.agents()).toMatchObject([{ tools }]);
    await opened.close();
  });
});
