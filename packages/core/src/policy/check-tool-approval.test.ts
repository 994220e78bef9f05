import { describeReason, type Subject, type ToolApproval, type ToolDefinition } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { closedPolicy } from './index.js';
import { knownTool } from '../testing/known-tool.js';
import { checkToolApproval, type GateInput } from './check-tool-approval.js';
import { policy } from '../testing/policy-calls.js';

function tool(name: string, approval?: ToolApproval, rest: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: 'd', parameters: {}, location: 'server', ...rest, ...(approval ? { approval } : {}) };
}

const words = (...words: string[]): Subject => ({ kind: 'words', words });

function input(change: Partial<GateInput> = {}, subjects: readonly Subject[] = [words('a')]): GateInput {
  return {
    call: {
      tool: 'write_file',
      arguments: { ok: true, value: {} },
      subjects,
      place: { workingDirectory: '/w', home: '/h' },
      folder: '/w',
    },
    tool: knownTool(tool('write_file', { required: true })),
    agent: { tools: ['*'], policy: policy() },
    world: { mode: 'ask', policy: policy() },
    grants: [],
    decision: undefined,
    contained: false,
    outcomeUnknown: false,
    ...change,
  };
}

const named = (name: string): GateInput => {
  const base = input({ tool: knownTool(tool(name)) });
  return { ...base, call: { ...base.call, tool: name } };
};

const world = (...rules: string[]): Partial<GateInput> => ({ world: { mode: 'ask', policy: policy(...rules) } });

describe('checkToolApproval', () => {
  it('[CALL2.2] asks for approval, and offers only options that take effect, deny first', () => {
    expect(checkToolApproval(input())).toEqual({
      kind: 'ask',
      reason: { code: 'no-rule' },
      options: ['deny', 'approve_once', 'approve_session', 'approve_always'],
      session: { pattern: 'a', any: true },
      proposedRule: 'allow write_file(a)',
    });
  });

  it('[CALL5.8] outside the sandbox, a grant covers only what its pattern spells out, or files in the working folder', () => {
    const call = (subject: Subject): GateInput['call'] => ({ ...input().call, subjects: [subject] });
    const ls = call({ kind: 'words', words: ['ls', '-a'], exact: true });
    const path = (path: string) => call({ kind: 'path', path });
    const outside = knownTool(tool('write_file'), { trusted: false, external: true });
    const gate = (call: GateInput['call'], pattern?: string) =>
      checkToolApproval(
        input({ call, tool: outside, grants: [{ id: 'g', ...(pattern === undefined ? {} : { pattern }) }] }),
      );
    const { workingDirectory } = input().call.place;
    for (const pattern of [undefined, '*', 'ls *', 'ls -a *']) expect(gate(ls, pattern).kind).toBe('ask');
    expect(gate(ls, 'ls -a').kind).toBe('run');
    for (const pattern of [undefined, '*', '/**', '~/**']) {
      expect(gate(path(`${workingDirectory}/a`), pattern).kind).toBe('ask');
    }
    expect(gate(path(`${workingDirectory}/a`), './**').kind).toBe('run');
    expect(gate(path('/etc/passwd'), './**').kind).toBe('ask');
    expect(checkToolApproval(input({ call: ls, tool: outside }))).toMatchObject({
      session: { pattern: 'ls -a', any: false },
    });
    const dynamic = call({ kind: 'dynamic', why: 'x' });
    expect(checkToolApproval(input({ call: dynamic, tool: outside }))).toMatchObject({
      options: ['deny', 'approve_once'],
    });
  });

  it.each<[string, Partial<GateInput>, { pattern?: string; answeredRule?: string }]>([
    ['an exact command', {}, { pattern: 'a' }],
    ['every call of a tool', {}, {}],
    ['an ask rule', world('ask write_file'), { pattern: 'a', answeredRule: 'ask write_file' }],
  ])('[CALL5.9] a grant for %s covers only calls in its folder', (_, change, about) => {
    const kind = (folder: string, given?: string) =>
      checkToolApproval(
        input({
          ...change,
          call: { ...input().call, folder },
          grants: [{ id: 'g', ...about, ...(given === undefined ? {} : { folder: given }) }],
        }),
      ).kind;
    for (const [folder, given] of [
      ['/w', '/w'],
      ['/other', '/other'],
      ['unknown', 'unknown'],
      // Without a folder, it is the world's.
      ['/w', undefined],
    ] as const)
      expect([folder, given, kind(folder, given)]).toEqual([folder, given, 'run']);
    for (const [folder, given] of [
      ['/other', '/w'],
      ['/w', '/other'],
      ['unknown', '/w'],
      ['/w', 'unknown'],
      ['/other', undefined],
      ['unknown', undefined],
    ] as const)
      expect([folder, given, kind(folder, given)]).toEqual([folder, given, 'ask']);
  });

  it('[CALL5.9] “for this chat” names the folder if it is not the world’s', () => {
    const session = (folder: string) => checkToolApproval(input({ call: { ...input().call, folder } }));
    expect(session('/w')).toMatchObject({ session: { pattern: 'a', any: true } });
    expect(session('/w')).not.toHaveProperty('session.folder');
    expect(session('/other')).toMatchObject({ session: { pattern: 'a', any: true, folder: '/other' } });
  });

  it.each(['client.requestApproval', 'client.x', 'CLIENT.x', ' client.x', '\uff43lient.x'])(
    '[CALL10] %j stays reserved, even if it is allowed, approved or registered',
    (name) => {
      const gate = checkToolApproval({ ...named(name), ...world('allow *'), decision: 'approved' });
      expect(gate).toMatchObject({
        kind: 'refuse',
        how: 'fail',
        reason: { code: 'cannot-run', problem: expect.stringContaining('reserved') as string },
      });
    },
  );

  it('[TURN11.1] a look-alike tool name is unknown', () => {
    const gate = checkToolApproval({ ...input(), call: { ...input().call, tool: 'write_f\u0456le' } });
    expect(gate).toMatchObject({
      kind: 'refuse',
      how: 'fail',
      reason: { code: 'cannot-run', problem: expect.stringContaining('no tool named') as string },
    });
  });

  it('[TURN11] a hostile name is truncated and can’t break out of the message', () => {
    const gate = checkToolApproval({ ...input(), call: { ...input().call, tool: `x"\n${'y'.repeat(10_000)}` } });
    expect(gate).toMatchObject({ kind: 'refuse', how: 'fail' });
    expect(gate.kind === 'refuse' && describeReason(gate.reason).length).toBeLessThan(200);
    expect(gate.kind === 'refuse' && describeReason(gate.reason)).not.toContain('\n');
  });

  it('[CALL1] a tool that is not on the agent’s list is unknown to it', () => {
    const gate = checkToolApproval(
      input({ agent: { tools: ['read_*', 'WRITE_FILE', ''], policy: policy() }, decision: 'approved' }),
    );
    expect(gate).toMatchObject({ kind: 'refuse', how: 'fail' });
  });

  it('[TURN11.1] invalid arguments fail with their own message, before anyone is asked', () => {
    const base = input({ decision: 'approved' });
    const gate = checkToolApproval({
      ...base,
      call: { ...base.call, arguments: { ok: false, error: 'path is missing' } },
    });
    expect(gate).toEqual({ kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem: 'path is missing' } });
  });

  it('[RULE2] in read mode an untrusted tool that claims to be readOnly does not run, even if it was approved', () => {
    const definition = tool('write_file', undefined, { readOnly: true });
    const change = { world: { mode: 'read' as const, policy: policy('allow *') }, decision: 'approved' as const };
    expect(checkToolApproval(input({ ...change, tool: knownTool(definition, { trusted: false }) }))).toMatchObject({
      how: 'deny',
    });
    expect(checkToolApproval(input({ ...change, tool: knownTool(definition) }))).toMatchObject({
      because: 'decision',
    });
  });

  it('[CALL2.1] a deny rule that was written after the approval denies the call', () => {
    expect(checkToolApproval(input({ ...world('allow *', 'deny write_file(a)'), decision: 'approved' }))).toEqual({
      kind: 'refuse',
      how: 'deny',
      reason: { code: 'deny-rule', rule: 'deny write_file(a)' },
      rule: 'deny write_file(a)',
    });
  });

  describe('under a rule that says who must sign', () => {
    const rule = 'ask write_file(a) by 2 of @finance';

    it('[SIGN1.2] [CALL5.6] grants and allow rules don’t run the call, and only "once" is offered', () => {
      const grants = [{ id: 'g', answeredRule: rule }, { id: 'h' }];
      const change = { ...world('allow *', 'allow write_file(a)', rule), grants, contained: true };
      expect(checkToolApproval(input(change))).toEqual({
        kind: 'ask',
        reason: { code: 'ask-rule', rule },
        rule,
        options: ['deny', 'approve_once'],
        signing: [{ rule, by: { count: 2, of: 'finance' } }],
      });
    });

    it('[SIGN1.1] every matching rule of the administrator, the world and the agent counts, and each one once', () => {
      const own = 'ask write_file by @release';
      const admin = 'ask * by not requester';
      const gate = checkToolApproval(
        input({
          ...world(rule, rule, 'ask write_file(b) by @others', 'ask write_file'),
          agent: { tools: ['*'], policy: policy(own) },
          admin: policy('ask write_file', admin),
        }),
      );
      expect(gate).toMatchObject({ kind: 'ask', options: ['deny', 'approve_once'] });
      expect(gate.kind === 'ask' && gate.signing?.map((one) => one.rule)).toEqual([admin, own, rule]);
    });

    it('[SIGN1.2] a call that might match at run time needs the same signatures', () => {
      const dynamic: Subject = { kind: 'dynamic', why: '$(…)' };
      const change = world(rule, 'ask write_file(path=a) by @release');
      const gate = checkToolApproval(input(change, [dynamic]));
      expect(gate.kind === 'ask' && gate.signing?.map(({ by }) => by.of)).toEqual(['finance', 'release']);
      expect(checkToolApproval(input(change, [words('b')]))).not.toHaveProperty('signing');
    });

    it('[SIGN1.2] whatever else makes the call need approval, the signatures stay required', () => {
      for (const more of [{ outcomeUnknown: true }, { changed: 'x' }, { ...world(rule), admin: policy('ask *') }]) {
        const gate = checkToolApproval(input({ ...world(rule), ...more }));
        expect(gate).toMatchObject({ kind: 'ask', options: ['deny', 'approve_once'], signing: [{ rule }] });
      }
    });

    it('[SIGN1.2] [RULE1] a deny rule beats it, and an administrator’s allow rule does too', () => {
      expect(checkToolApproval(input(world(rule, 'deny write_file')))).toMatchObject({ kind: 'refuse', how: 'deny' });
      expect(checkToolApproval(input({ ...world(rule), admin: policy('allow *') }))).toMatchObject({ kind: 'run' });
    });
  });

  describe("under an administrator's rules", () => {
    it('[RULE1] a deny rule beats an approval, a grant and every other rule', () => {
      const change = { ...world('allow *'), admin: policy('deny write_file(a)'), decision: 'approved' as const };
      expect(checkToolApproval(input({ ...change, grants: [{ id: 'g' }] }))).toMatchObject({
        kind: 'refuse',
        rule: 'deny write_file(a)',
      });
    });

    it('[RULE1] an ask rule needs a person’s approval each time; no grant overrides it', () => {
      const rule = 'ask write_file';
      const change = { ...world('allow *'), admin: policy(rule), grants: [{ id: 'g', answeredRule: rule }] };
      expect(checkToolApproval(input(change))).toMatchObject({ kind: 'ask', rule, options: ['deny', 'approve_once'] });
      expect(checkToolApproval(input({ ...change, decision: 'approved' }))).toMatchObject({ kind: 'run' });
    });

    it('[RULE1] an allow rule overrides the world’s deny rules, but neither read mode nor an unknown outcome', () => {
      const change = { ...world('deny write_file'), admin: policy('allow write_file(a)') };
      expect(checkToolApproval(input(change))).toMatchObject({ kind: 'run', rule: 'allow write_file(a)' });
      expect(checkToolApproval(input({ ...change, outcomeUnknown: true }))).toMatchObject({ kind: 'ask' });
      const reading = { world: { mode: 'read' as const, policy: policy() }, admin: policy('allow *') };
      expect(checkToolApproval(input(reading))).toMatchObject({ kind: 'refuse' });
    });
  });

  it('[RULE1] a dynamic part with known effects is covered by a session grant, despite rules about other calls', () => {
    const subjects: Subject[] = [words('ls'), { kind: 'dynamic', why: 'output goes to a file', told: true }];
    const gate = checkToolApproval(input(world('deny write_file(rm *)'), subjects));
    expect(gate).toMatchObject({
      reason: { code: 'not-coverable', cause: { code: 'told', text: 'output goes to a file' } },
      options: ['deny', 'approve_once', 'approve_session'],
    });
    expect(
      checkToolApproval(input({ ...world('deny write_file(rm *)'), grants: [{ id: 'g' }] }, subjects)),
    ).toMatchObject({ because: 'grant' });
  });

  it('[CALL5.3] "always" proposes a rule for each part that no rule allows yet', () => {
    const gate = checkToolApproval(input(world('allow write_file(a)'), [words('a'), words('b'), words('c')]));
    expect(gate).toMatchObject({ proposedRule: 'allow write_file(b)\nallow write_file(c)' });
  });

  it('[CALL1.4] claims of an untrusted tool allow nothing', () => {
    for (const approval of [undefined, { required: false }, { required: true, pattern: '*' }]) {
      const gate = checkToolApproval(input({ tool: knownTool(tool('write_file', approval), { trusted: false }) }));
      expect(gate).toMatchObject({ kind: 'ask', reason: { code: 'untrusted-tool', tool: 'write_file' } });
    }
  });

  it('[EXT1] a tool of an external program needs approval because no rule allows the call', () => {
    const outside = knownTool(tool('claude__Bash'), { trusted: false, external: true });
    expect(checkToolApproval({ ...named('claude__Bash'), tool: outside })).toMatchObject({
      kind: 'ask',
      reason: { code: 'no-rule' },
    });
  });

  it('[CALL1.4] claims of an untrusted tool restrict nothing either', () => {
    const definition = tool('write_file', { required: true, options: ['approve_always'], scope: 'once' });
    expect(checkToolApproval(input({ tool: knownTool(definition, { trusted: false }) }))).toMatchObject({
      options: ['deny', 'approve_once', 'approve_session', 'approve_always'],
    });
  });

  it.each<[ToolApproval, string[]]>([
    [{ required: true, scope: 'once' }, ['deny', 'approve_once']],
    [{ required: true, scope: 'session' }, ['deny', 'approve_once', 'approve_session']],
    [{ required: true, options: ['approve_once', 'approve_always'] }, ['deny', 'approve_once', 'approve_always']],
    [
      { required: true, options: ['approve_session', 'approve_once', 'deny'] },
      ['deny', 'approve_once', 'approve_session'],
    ],
    [{ required: true, options: ['approve_always'], scope: 'session' }, ['deny']],
  ])('[CALL1.1] %j limits the options', (approval, options) => {
    expect(checkToolApproval(input({ tool: knownTool(tool('write_file', approval)) }))).toMatchObject({ options });
  });

  it('[CALL2.2] "always" is not offered if no rule can express it', () => {
    const gate = checkToolApproval(input({}, [words('a'), { kind: 'dynamic', why: '$b' }]));
    expect(gate).toMatchObject({ options: ['deny', 'approve_once', 'approve_session'] });
    expect(gate).not.toHaveProperty('proposedRule');
  });

  it('[CALL2] a grant overrides an ask rule only if it was given for that rule', () => {
    const rules = world('ask write_file');
    const ask = checkToolApproval(
      input({ ...rules, grants: [{ id: 'old' }, { id: 'other', answeredRule: 'ask write_file(a)' }] }),
    );
    expect(ask).toMatchObject({
      kind: 'ask',
      rule: 'ask write_file',
      options: ['deny', 'approve_once', 'approve_session'],
    });
    const run = checkToolApproval(
      input({ ...rules, grants: [{ id: 'old' }, { id: 'g', answeredRule: 'ask write_file' }] }),
    );
    expect(run).toEqual({ kind: 'run', because: 'grant', grantId: 'g' });
  });

  it('[CALL2.2] with two ask rules, each needs its own approval, so a session grant is not offered', () => {
    const rules = world('ask write_file', 'ask *(a)');
    expect(checkToolApproval(input(rules))).toMatchObject({ options: ['deny', 'approve_once'] });
    const one = { ...rules, grants: [{ id: 'g', answeredRule: 'ask *(a)' }] };
    expect(checkToolApproval(input(one))).toMatchObject({
      rule: 'ask write_file',
      options: ['deny', 'approve_once', 'approve_session'],
    });
    const both = { ...rules, grants: [...one.grants, { id: 'h', answeredRule: 'ask write_file' }] };
    expect(checkToolApproval(input(both))).toMatchObject({ kind: 'run', because: 'grant' });
  });

  it('[CALL5.2] a grant still applies after its ask rule was removed', () => {
    expect(checkToolApproval(input({ grants: [{ id: 'g', answeredRule: 'ask write_file' }] }))).toMatchObject({
      grantId: 'g',
    });
  });

  it('[CALL15] an invalid pattern covers nothing', () => {
    for (const pattern of ['(', '(\n)', '', "'"]) {
      expect(checkToolApproval(input({ grants: [{ id: 'g', pattern }] }))).toMatchObject({ kind: 'ask' });
      const definition = tool('write_file', { required: true, pattern });
      expect(checkToolApproval(input({ tool: knownTool(definition) }))).toMatchObject({ kind: 'ask' });
    }
  });

  it('[CALL7.4] an edited call needs approval despite grants, rules, tool and sandbox, also if nobody else can be asked', () => {
    const edited = { decision: 'edited', unattended: true } as const;
    for (const allowing of [
      { grants: [{ id: 'g' }] },
      world('allow *'),
      { tool: knownTool(tool('write_file')) },
      { world: { mode: 'auto', policy: policy() }, contained: true } as const,
    ]) {
      expect(checkToolApproval(input(allowing))).toMatchObject({ kind: 'run' });
      expect(checkToolApproval(input({ ...allowing, ...edited }))).toEqual({
        kind: 'ask',
        reason: { code: 'edited' },
        options: ['deny', 'approve_once'],
      });
    }
    expect(checkToolApproval(input(edited))).toMatchObject({ kind: 'ask', reason: { code: 'no-rule' } });
    expect(checkToolApproval(input({ ...world('deny *'), ...edited }))).toMatchObject({ kind: 'refuse' });
  });

  it('[STORE3] after an unknown outcome, the same call needs approval despite grants, rules, tool and sandbox', () => {
    const gate = checkToolApproval(
      input({
        outcomeUnknown: true,
        world: { mode: 'auto', policy: policy('allow *', 'ask write_file') },
        contained: true,
        grants: [{ id: 'g', answeredRule: 'ask write_file' }],
        tool: knownTool(tool('write_file')),
      }),
    );
    expect(gate).toEqual({
      kind: 'ask',
      reason: { code: 'outcome-unknown' },
      options: ['deny', 'approve_once'],
    });
    expect(checkToolApproval(input({ outcomeUnknown: true, decision: 'approved' }))).toMatchObject({
      because: 'decision',
    });
  });

  it('[RULE1] with an invalid policy, every call needs approval despite grants', () => {
    const closed = { mode: 'auto' as const, policy: closedPolicy('rule 2') };
    const gate = checkToolApproval(
      input({
        world: closed,
        contained: true,
        grants: [{ id: 'g' }],
        tool: knownTool(tool('write_file')),
      }),
    );
    expect(gate).toMatchObject({
      kind: 'ask',
      reason: { code: 'policy-unreadable', problem: 'rule 2' },
      options: ['deny', 'approve_once'],
    });
  });

  it('[RULE1] with an invalid policy, a call that stands for another needs approval despite an allow rule of the administrator', () => {
    const base = input({ world: { mode: 'ask', policy: closedPolicy('rule 2') }, admin: policy('allow write_file') });
    const standsFor = { ...base.call, tool: 'shell_cmd' };
    expect(checkToolApproval({ ...base, call: { ...base.call, standsFor } })).toMatchObject({
      kind: 'ask',
      reason: { code: 'policy-unreadable' },
    });
  });

  describe('with a dynamic part in the call', () => {
    const dynamic: Subject[] = [words('ls'), { kind: 'dynamic', why: 'a command substitution' }];

    it('[RULE1] no rule and no pattern allows it', () => {
      const definition = tool('write_file', { required: true, pattern: '*' });
      const gate = checkToolApproval(
        input(
          {
            ...world('allow *', 'allow write_file(*)'),
            grants: [{ id: 'g', pattern: '*' }],
            tool: knownTool(definition),
          },
          dynamic,
        ),
      );
      expect(gate).toMatchObject({
        kind: 'ask',
        reason: { code: 'unpredictable', cause: { code: 'told', text: 'a command substitution' } },
      });
    });

    it('[CALL5.2] a session grant for the whole tool allows it', () => {
      expect(checkToolApproval(input({ grants: [{ id: 'g' }] }, dynamic))).toMatchObject({ because: 'grant' });
    });

    it('[RULE1] no session grant allows it or is offered if a deny or ask rule might match it', () => {
      for (const rule of ['deny write_file(rm *)', 'ask *(~/.ssh/**)']) {
        const gate = checkToolApproval(input({ ...world(rule), grants: [{ id: 'g' }] }, dynamic));
        expect(gate).toMatchObject({ kind: 'ask', options: ['deny', 'approve_once'] });
      }
      expect(checkToolApproval(input({ ...world('deny other(rm *)'), grants: [{ id: 'g' }] }, dynamic))).toMatchObject({
        kind: 'run',
      });
    });

    it('[RULE2] auto mode runs it inside the sandbox', () => {
      const gate = checkToolApproval(input({ world: { mode: 'auto', policy: policy() }, contained: true }, dynamic));
      expect(gate).toEqual({ kind: 'run', because: 'contained' });
    });
  });

  it('[CALL2.2] every offered option takes effect when the same call is made again', () => {
    const situations = [input(), input(world('ask write_file')), input({ world: { mode: 'auto', policy: policy() } })];
    for (const situation of situations) {
      const gate = checkToolApproval(situation);
      if (gate.kind !== 'ask') throw new Error('expected a question');
      for (const option of gate.options) {
        const grant = { id: 'g', ...(gate.rule === undefined ? {} : { answeredRule: gate.rule }) };
        const rules = gate.proposedRule === undefined ? [] : [gate.proposedRule];
        const after: Record<string, GateInput> = {
          approve_once: { ...situation, decision: 'approved' },
          approve_session: { ...situation, grants: [grant] },
          approve_always: { ...situation, world: { ...situation.world, policy: policy(...rules) } },
        };
        const next = after[option];
        expect(option === 'deny' ? 'run' : next && checkToolApproval(next).kind).toBe('run');
      }
    }
  });

  it('[CALL2] finds the matching grant and rule among 10,000 grants and 1,000 rules', () => {
    const grants = Array.from({ length: 10_000 }, (_, n) => ({
      id: `g${n}`,
      answeredRule: `ask y${n}`,
      pattern: `b${n}`,
    }));
    const rules = Array.from({ length: 1000 }, (_, n) => `${n % 2 ? 'allow' : 'deny'} write_file(b${n} *)`);
    expect(checkToolApproval(input({ ...world(...rules), grants }))).toMatchObject({ kind: 'ask' });
    const granted = input({ ...world(...rules), grants: [...grants, { id: 'last', pattern: 'a' }] });
    expect(checkToolApproval(granted)).toEqual({ kind: 'run', because: 'grant', grantId: 'last' });
    const allowed = input({ ...world(...rules, 'allow write_file(a)'), grants });
    expect(checkToolApproval(allowed)).toEqual({ kind: 'run', because: 'rule', rule: 'allow write_file(a)' });
  });

  it('[CHANGE1] a file that may run outside the sandbox later needs approval each time, despite grants, rules, patterns and modes', () => {
    const later: Subject[] = [
      { kind: 'path', path: '/w/.git/hooks/pre-commit' },
      { kind: 'dynamic', why: 'a hook runs later', always: true },
    ];
    const everything: Partial<GateInput> = {
      world: { mode: 'auto', policy: policy('allow *') },
      tool: knownTool(tool('write_file')),
      grants: [{ id: 'grant_1' }],
      contained: true,
    };
    expect(checkToolApproval(input(everything, later))).toEqual({
      kind: 'ask',
      reason: { code: 'every-call', cause: { code: 'told', text: 'a hook runs later' } },
      options: ['deny', 'approve_once'],
    });
    const signed = checkToolApproval(input({ ...everything, decision: 'approved' }, later));
    expect(signed).toMatchObject({ kind: 'run', because: 'decision' });
    const denied = {
      ...everything,
      world: { mode: 'auto', policy: policy('deny *(.git/**)', 'deny *(**/.git/**)') },
    } as const;
    expect(checkToolApproval(input(denied, later))).toMatchObject({ kind: 'refuse', how: 'deny' });
  });
});
