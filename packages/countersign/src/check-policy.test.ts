import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { editFile, grep, readFile, shellCmd, writeFile as writingFile } from '@countersign/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { lastResults, obedient, propose, recorder } from './testing/obedient.js';

afterEach(closeTestWorlds);
const folder = freshFolder();
const none = { kind: 'none', reason: 'not needed here' } as const;

/** The schema of a tool with exactly these arguments. */
function strict(...names: string[]): Record<string, unknown> {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return { type: 'object', properties, additionalProperties: false };
}

async function open(options: TestWorldOptions = {}) {
  const workingDirectory = folder('work');
  await mkdir(workingDirectory, { recursive: true });
  const tools = [readFile(), grep(), writingFile(), editFile(), shellCmd({ sandbox: none }), ...(options.tools ?? [])];
  const t = await openTestWorld({ script: obedient, workingDirectory, ...options, tools });
  const check = (command: string, agentId?: string) =>
    t.world.checkPolicy({ tool: 'shell_cmd', arguments: { command }, ...(agentId === undefined ? {} : { agentId }) });
  return { ...t, check, workingDirectory };
}

describe('checking a policy', () => {
  it('[RULE1] reports the outcome and its rule, and changes nothing', async () => {
    const t = await open({
      policy: ['allow shell_cmd(git status)', 'ask shell_cmd(git push *)', 'deny shell_cmd(rm *)'],
    });
    expect(await t.check('git status')).toEqual({
      outcome: 'run',
      reason: { code: 'allow-rule', rule: 'allow shell_cmd(git status)' },
      why: 'a rule allows this call',
      rule: 'allow shell_cmd(git status)',
      notApplied: [
        { rule: 'deny shell_cmd(rm *)', code: 'pattern' },
        { rule: 'ask shell_cmd(git push *)', code: 'pattern' },
      ],
    });
    expect(await t.check('git push origin')).toMatchObject({ outcome: 'ask', rule: 'ask shell_cmd(git push *)' });
    expect(await t.check('env rm x')).toMatchObject({ outcome: 'refuse', rule: 'deny shell_cmd(rm *)' });
    expect(await t.check('git status && ls src')).toMatchObject({
      outcome: 'ask',
      proposedRule: 'allow shell_cmd(ls src)',
    });
    expect(await t.check('ls > x')).toMatchObject({
      outcome: 'ask',
      reason: { code: 'not-coverable', cause: { code: 'output-to-file' } },
    });
    expect([await t.world.approvals(), t.toolEvents()]).toEqual([[], []]);
  });

  it('[CALL2.1] takes the same path as a real call: tools, arguments, agents, modes', async () => {
    const t = await open({ agents: [{ name: 'Ada', tools: ['read_file'], policy: ['deny read_file(./a)'] }] });
    const read = (path: string, agentId?: string) =>
      t.world.checkPolicy({ tool: 'read_file', arguments: { path }, ...(agentId === undefined ? {} : { agentId }) });
    expect(await t.check('ls', 'ada')).toMatchObject({
      outcome: 'refuse',
      reason: { code: 'cannot-run', problem: expect.stringContaining('no tool') as unknown },
    });
    expect(await read('a', 'ada')).toMatchObject({ outcome: 'refuse', rule: 'deny read_file(./a)' });
    expect(await read('a')).toEqual({
      outcome: 'run',
      reason: { code: 'no-approval-needed' },
      why: 'the tool needs no approval',
    });
    expect(await t.world.checkPolicy({ tool: 'read_file', arguments: {} })).toMatchObject({ outcome: 'refuse' });
    expect(await t.world.checkPolicy({ tool: 'nothing', arguments: {} })).toMatchObject({ outcome: 'refuse' });
    await expect(t.check('ls', 'nobody')).rejects.toMatchObject({ code: 'not-found' });
    const edit = { tool: 'edit_file', arguments: { path: 'gone', oldText: 'a', newText: 'b' } };
    expect(await t.world.checkPolicy(edit)).toMatchObject({
      outcome: 'refuse',
      reason: { code: 'cannot-run', problem: expect.stringContaining('does not exist') as unknown },
    });
    await t.world.update({ mode: 'read' });
    expect(await t.check('ls')).toMatchObject({
      outcome: 'refuse',
      reason: { code: 'read-mode', tool: 'shell_cmd' },
    });
  });

  it('[RULE3] [RULE4.1] a deny rule on a named argument applies to every tool, whatever the other arguments are', async () => {
    const { runs, tool } = recorder('pay');
    const policy = ['allow write_file', 'deny write_file(path=secret.txt)', 'allow pay', 'deny pay(to=casino)'];
    policy.push('deny pay(amount > 100)', 'deny shell_cmd(command=*wget*)', 'deny read_file(path=secret.txt)');
    const t = await open({ policy, tools: [tool] });
    const outcome = async (name: string, args: Record<string, unknown>): Promise<string> =>
      (await t.world.checkPolicy({ tool: name, arguments: args })).outcome;
    for (const path of [
      'secret.txt',
      './secret.txt',
      'a/../SECRET.txt',
      `${t.workingDirectory}/secret.txt`,
      'b/secret.txt',
    ])
      expect([path, await outcome('write_file', { path, content: 'x' })]).toEqual([path, 'refuse']);
    expect(await outcome('write_file', { path: 'notes.txt', content: 'secret.txt' })).toBe('run');
    expect(await outcome('read_file', { path: 'x/./secret.txt' })).toBe('refuse');
    expect(await outcome('shell_cmd', { command: 'echo a; wget b' })).toBe('refuse');
    await propose(t, { name: 'pay', arguments: { to: 'casino', amount: 5 } });
    await propose(t, { name: 'pay', arguments: { to: 'bakery', amount: '150' } });
    expect(runs).toEqual([]);
    await propose(t, { name: 'pay', arguments: { to: 'bakery', amount: 5 } });
    expect(runs).toEqual([{ to: 'bakery', amount: 5 }]);
  });

  it('[RULE5.5] says why a rule did not apply, without secrets', async () => {
    const t = await open({ policy: ['deny write_file(path=secret.txt)', 'allow write_file(content=a)'] });
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const content = `${'x'.repeat(100)} ${secret}`;
    const check = { tool: 'write_file', arguments: { path: 'notes.txt', content } };
    const { notApplied } = await t.world.checkPolicy(check);
    expect(notApplied).toMatchObject([
      { rule: 'deny write_file(path=secret.txt)', code: 'different', argument: 'path', value: 'notes.txt' },
      { rule: 'allow write_file(content=a)', code: 'different', argument: 'content' },
    ]);
    expect(JSON.stringify(notApplied)).not.toContain(secret.slice(4, -4));
  });

  it('[RULE5] [RULE5.1] refuses a new rule that can match no call, and keeps a stored one', async () => {
    const t = await open();
    const refused = async (rule: string): Promise<unknown> =>
      await t.world.setPolicy([rule]).then(
        () => 'written',
        (error: unknown) => error,
      );
    expect(await refused('deny write_file(pth=secret.txt)')).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(
        'write_file has no argument "pth". Its arguments are path and content.',
      ) as unknown,
    });
    expect(await refused('deny shell_cmd(command=git push)')).toMatchObject({ code: 'invalid' });
    expect(await refused('deny write_file(path > 5)')).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('"path" of write_file is not a number (string)') as unknown,
    });
    // The intended form doesn't name the argument.
    for (const [rule, form] of [
      ['allow shell_cmd(command=git *)', 'allow shell_cmd(git *)'],
      ['deny shell_cmd(command=git *)', 'deny shell_cmd(git *)'],
      ["allow shell_cmd(command='git '*)", 'allow shell_cmd(git *)'],
      ["allow shell_cmd(command='git *')", 'allow shell_cmd(git *)'],
      ['allow shell_cmd(command=git*)', 'allow shell_cmd(git status *)'],
      ["allow shell_cmd(command='ls src', *)", 'allow shell_cmd(git status *)'],
    ] as const) {
      const message = expect.stringContaining(`leave the name out: ${form}`) as unknown;
      expect(await refused(rule)).toMatchObject({ code: 'invalid', message });
    }
    for (const rule of ["allow shell_cmd(command='git status')", 'deny shell_cmd(command=*--force*)'])
      expect(await refused(rule)).toBe('written');
    expect(await refused('deny mcp__later__pay(sum > 5)')).toBe('written');
    const agent = { name: 'Bea', provider: 'scripted', model: 'any', policy: ['deny read_file(offset=many)'] };
    await expect(t.world.addAgent(agent)).rejects.toMatchObject({ code: 'invalid' });

    const stored = 'deny pay(two=b *)';
    expect(await refused(stored)).toBe('written');
    t.world.addTool(recorder('pay', { parameters: strict('one', 'two') }).tool);
    await t.world.setPolicy([stored, 'deny pay(one=a)']);
    expect(await refused('deny pay(three=c)')).toMatchObject({ code: 'invalid' });
    expect(await t.world.checkPolicy({ tool: 'pay', arguments: { one: 'x', two: 'b' } })).toMatchObject({
      rule: stored,
    });
    // The rule was stored before its tool was known, so it stays as strict as it was.
    const compared = 'deny send(one > 5)';
    expect(await refused(compared)).toBe('written');
    t.world.addTool(recorder('send', { parameters: strict('one') }).tool);
    await t.world.setPolicy([compared, 'deny pay(one=a)']);
    expect(await t.world.checkPolicy({ tool: 'send', arguments: { one: 'x' } })).toMatchObject({
      outcome: 'refuse',
      rule: compared,
    });
  });

  it('[SAFE6] shows no secret of the call, and proposes no rule that contains one', async () => {
    const t = await open();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const verdict = await t.check(`curl -H token:${secret} localhost`);
    expect(verdict).toMatchObject({ outcome: 'ask' });
    expect(JSON.stringify(verdict)).not.toContain(secret);
    expect(verdict).not.toHaveProperty('proposedRule');
  });

  it("[RULE1.3] administrator's rules apply, and can't be changed from the world", async () => {
    const t = await open({ adminRules: ['deny shell_cmd(git push *)'], policy: ['allow shell_cmd(git push *)'] });
    expect(await t.check('git push')).toMatchObject({ outcome: 'refuse', rule: 'deny shell_cmd(git push *)' });
    await t.world.setPolicy([]);
    expect(await t.check('git push')).toMatchObject({ outcome: 'refuse' });
    expect(await t.world.policy()).toEqual([]);
    await propose(t, { name: 'shell_cmd', arguments: { command: 'git push' } });
    expect(t.toolEvents().map(({ type }) => type)).toEqual(['TOOL_DENIED']);
  });

  it('[RULE1] an administrator’s rule that can’t be parsed allows nothing', async () => {
    await expect(open({ adminRules: ['deny *', 'deny x('] })).rejects.toThrow(
      'adminRules, line 2, character 8: the closing parenthesis is missing',
    );
  });
});

describe('an "always" for several commands', () => {
  it('[CALL5.3] adds a rule for each command, and no rule that the call does not need', async () => {
    const t = await open({ policy: ['allow shell_cmd(true)'] });
    await propose(t, { name: 'shell_cmd', arguments: { command: 'true && echo a; echo b' } });
    const approval = await t.onlyApproval();
    const proposed = 'allow shell_cmd(echo a)\nallow shell_cmd(echo b)';
    expect(approval.proposedRule).toBe(proposed);
    const always = { decision: 'approve', scope: 'always' } as const;
    for (const rule of [`${proposed}\nallow *`, 'allow shell_cmd(echo a)', `${proposed}\nallow x(`, `${proposed}\n`])
      expect(await t.world.decide(approval, { ...always, rule })).toMatchObject({ status: 422 });
    expect(await t.world.decide(approval, always)).toMatchObject({ status: 200 });
    await t.chat.settled();
    expect(await t.world.policy()).toEqual(['allow shell_cmd(true)', ...proposed.split('\n')]);
    expect(await propose(t, { name: 'shell_cmd', arguments: { command: 'echo b; echo a' } })).toBe('idle');
  });

  it('[CALL5.3] for a number does not cover the same digits as text', async () => {
    const { runs, tool } = recorder('pay');
    const t = await open({ tools: [tool] });
    await propose(t, { name: 'pay', arguments: { amount: 1 } });
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'always' });
    await t.chat.settled();
    expect(await propose(t, { name: 'pay', arguments: { amount: '1' } })).toBe('waiting');
    expect(runs).toEqual([{ amount: 1 }]);
  });
});

describe('a rule with a star', () => {
  it.each(['allow shell_cmd(ls *)', 'allow shell_cmd(ls)', 'allow shell_cmd', 'allow shell_cmd(*)', 'allow *'])(
    '[RULE8] without a sandbox, %s runs ls only if it spells out the whole command',
    async (rule) => {
      const t = await open({ policy: [rule] });
      const exact = rule === 'allow shell_cmd(ls)';
      const { outcome, reason, notApplied, proposedRule } = await t.check('ls');
      expect(outcome).toBe(exact ? 'run' : 'ask');
      if (exact) return;
      expect(reason).toEqual({ code: 'star-without-sandbox', rule });
      expect(notApplied).toEqual([{ rule, code: 'no-sandbox' }]);
      expect(proposedRule).toBe('allow shell_cmd(ls)');
    },
  );

  it('[RULE6] reports which rule did not apply because of its star, and "always" proposes the exact command', async () => {
    const sandbox = { kind: 'sandbox-exec', program: '/nowhere' } as const;
    const t = await openTestWorld({ policy: ['allow shell_cmd(git *)'], tools: [shellCmd({ sandbox })] });
    const check = (command: string) => t.world.checkPolicy({ tool: 'shell_cmd', arguments: { command } });
    expect(await check('git log -5')).toMatchObject({ outcome: 'run' });
    expect(await check('git apply x.patch')).toMatchObject({
      outcome: 'ask',
      reason: { code: 'star', rule: 'allow shell_cmd(git *)' },
      proposedRule: 'allow shell_cmd(git apply x.patch)',
      notApplied: [{ rule: 'allow shell_cmd(git *)', code: 'star' }],
    });
    expect(await check('npm test')).toMatchObject({ outcome: 'ask', reason: { code: 'no-rule' } });
  });
});

describe('the calls in a chat that a rule would have matched', () => {
  it('[CALL5] are listed newest first, masked and limited', async () => {
    const t = await open({ policy: ['allow shell_cmd(echo a)', 'allow shell_cmd(echo b)'] });
    const echo = (text: string) => ({ name: 'shell_cmd', arguments: { command: `echo ${text}` } });
    await propose(t, echo('a'), echo('b'), { name: 'read_file', arguments: { path: 'x' } });
    await propose(t, echo('a'), { name: 'nothing' }, { name: 'shell_cmd', arguments: { command: 'echo > x' } });
    const matched = async (rule: string) => {
      const { calls, more } = await t.chat.matches(rule);
      return { calls: calls.map(({ arguments: args }) => args), more };
    };
    const a = { command: 'echo a' };
    expect(await matched('allow shell_cmd(echo a)')).toEqual({ calls: [a, a], more: false });
    expect(await matched('ask shell_cmd(echo *)')).toMatchObject({ calls: { length: 4 }, more: false });
    // There is no sandbox here.
    expect(await matched('allow shell_cmd(echo *)')).toEqual({ calls: [], more: false });
    expect(await matched('deny *(./x)')).toEqual({ calls: [{ command: 'echo > x' }, { path: 'x' }], more: false });
    expect(await matched('allow shell_cmd(echo a)\nallow read_file(./x)')).toMatchObject({ calls: { length: 3 } });
    await expect(t.chat.matches('allow x(')).rejects.toThrow('at character 9');
    await t.world.decide(await t.onlyApproval(), { decision: 'deny' });
    await t.chat.settled();
    await propose(t, ...Array.from({ length: 25 }, () => echo('c')));
    expect(await matched('allow shell_cmd(echo c)')).toMatchObject({ calls: { length: 20 }, more: true });
  });
});

describe('a folder that is denied', () => {
  it('[RULE1.5] is not searched by a call that starts above it', async () => {
    const t = await open({ policy: ['deny *(./secrets/**)', 'ask grep(./private/**)'] });
    for (const name of ['secrets', 'private', 'src']) {
      await mkdir(join(t.workingDirectory, name), { recursive: true });
      await writeFile(join(t.workingDirectory, name, 'a.txt'), `needle in ${name}\n`);
    }
    const search = (path?: string) => ({ name: 'grep', arguments: { pattern: 'needle', ...(path && { path }) } });
    expect(await propose(t, search())).toBe('idle');
    expect(lastResults(t)).toMatchObject([
      {
        result: {
          matches: ['src/a.txt:1: needle in src'],
          note: expect.stringContaining('2 names were omitted') as unknown,
        },
      },
    ]);
    expect(await propose(t, search('private'))).toBe('waiting');
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(JSON.stringify(lastResults(t))).toContain('needle in private');
    await propose(t, search('secrets'));
    expect(JSON.stringify(lastResults(t))).not.toContain('needle in secrets');
  });
});
