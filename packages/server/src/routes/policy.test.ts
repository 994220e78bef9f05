import { afterEach, describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { closeApps, openApp } from '../testing/app-fixture.js';
import { openHarbour, removing, type Harbour } from '../testing/harbour.js';

afterEach(closeApps);

const POLICY = '/worlds/harbour/policy';

const CREW = '/worlds/harbour-crew/policy';

async function etagOf(t: Pick<Harbour, 'api'>, policy = POLICY): Promise<string> {
  return (await t.api('GET', policy)).headers.get('etag') ?? '';
}

describe('a policy', () => {
  it('[HTTP15] needs If-Match: 428 without, 412 with a stale one', async () => {
    const t = await openHarbour();
    const etag = await etagOf(t);
    const rules = ['ask remove', 'deny other*'];
    expect((await t.api('PUT', POLICY, { rules })).status).toBe(428);
    expect((await t.api('PUT', POLICY, { rules }, { 'If-Match': '*' })).status).toBe(428);
    const written = await t.api('PUT', POLICY, { rules }, { 'If-Match': etag });
    expect(written).toMatchObject({ status: 200, body: { rules, proposed: [] } });
    expect(written.headers.get('etag')).toBe(await etagOf(t));
    expect((await t.api('PUT', POLICY, { rules: [] }, { 'If-Match': etag })).status).toBe(412);
    expect((await t.api('GET', POLICY)).body).toEqual({ rules, proposed: [] });
  });

  it('[HTTP15] one of many concurrent writes wins, and no write overwrites an unseen change', async () => {
    const t = await openHarbour();
    const etag = await etagOf(t);
    const race = await Promise.all(
      Array.from({ length: 8 }, (_, i) => t.api('PUT', POLICY, { rules: [`deny tool${i}`] }, { 'If-Match': etag })),
    );
    expect(race.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(race.filter(({ status }) => status === 412)).toHaveLength(7);
    expect((await t.api('GET', POLICY)).body).toEqual(race.find(({ status }) => status === 200)?.body);
  });

  it('[CALL5.4] [HTTP10.3] lists the waiting calls that a rule or grant would release, and the decision then releases them', async () => {
    const t = await openHarbour();
    const call = (path: string) => ({ name: 'remove', arguments: { path } });
    await t.propose(call('a1'), call('a2'), call('b'));
    const [question] = await t.pending();
    const { chat: chatId } = t;
    const waiting = async (body: unknown): Promise<unknown> => {
      const answer = await t.api<{ waiting: { arguments: unknown }[] }>('POST', `${POLICY}/matches`, body);
      return answer.status === 200 ? answer.body.waiting.map(({ arguments: args }) => args) : answer.status;
    };
    expect(await waiting({ rule: 'allow remove(path=a*)' })).toEqual([{ path: 'a1' }, { path: 'a2' }]);
    expect(await waiting({ chatId, rule: 'allow other' })).toEqual([]);
    const grant = { agentId: 'ada', toolName: 'remove' };
    expect(await waiting({ chatId, grant })).toEqual([{ path: 'a1' }, { path: 'a2' }, { path: 'b' }]);
    expect(await waiting({ chatId, grant: { ...grant, pattern: 'path=b' } })).toEqual([{ path: 'b' }]);
    expect(await waiting({ chatId, grant: { ...grant, agentId: 'nobody' } })).toEqual([]);
    expect(await waiting({ grant })).toBe(422);
    expect(await waiting({ chatId })).toBe(422);
    expect(await waiting({ rule: 'allow (' })).toBe(422);
    // The query itself decided nothing.
    expect(await t.pending()).toHaveLength(3);
    const decision = { tool_call_id: question?.approvalId, decision: 'approve', scope: 'session', pattern: 'path=a*' };
    expect((await t.api('POST', '/worlds/harbour/tool-results', decision)).status).toBe(200);
    const left = await t.pending();
    expect(left).toHaveLength(1);
    expect(left[0]?.approvalId).not.toBe(question?.approvalId);
  });

  it('[HTTP15] does not overwrite a rule that a decision added in the meantime', async () => {
    const t = await openHarbour();
    const etag = await etagOf(t);
    await t.propose({ name: 'remove', arguments: { path: 'a' } });
    const [question] = await t.pending();
    const decision = { tool_call_id: question?.approvalId, decision: 'approve', scope: 'always' };
    expect((await t.api('POST', '/worlds/harbour/tool-results', decision)).status).toBe(200);
    expect((await t.api('PUT', POLICY, { rules: [] }, { 'If-Match': etag })).status).toBe(412);
    expect((await t.api<{ rules: string[] }>('GET', POLICY)).body.rules).toHaveLength(1);
  });

  it('[RULE1] [HTTP1] rejects the whole policy if one rule is invalid, with the position of each', async () => {
    const t = await openHarbour();
    const put = async (rules: unknown) => await t.api('PUT', POLICY, { rules }, { 'If-Match': await etagOf(t) });
    expect(await put(['ask remove', 'maybe remove'])).toMatchObject({ status: 422, body: { field: 'rules.1' } });
    expect(await put(['# Files', 'ask remove', 'deny remove(path=a,)'])).toMatchObject({
      status: 422,
      body: {
        field: 'rules.2',
        detail: 'line 3, character 20: expected another condition after the comma. The rule: deny remove(path=a,)',
      },
    });
    expect(await put(['deny remove # never'])).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('line 1, character 13: a comment needs a line of its own') as unknown },
    });
    expect(await put(['maybe remove', 'ask remove', 'deny remove('])).toMatchObject({
      status: 422,
      body: { field: 'rules.0', errors: [{ field: 'rules.0' }, { field: 'rules.2' }] },
    });
    expect(await put('ask remove')).toMatchObject({ status: 422, body: { field: 'rules' } });
    expect((await t.api('GET', POLICY)).body).toEqual({ rules: [], proposed: [] });
  });

  it('[RULE1.1] [HTTP10.1] [HTTP15] keeps comments and blank lines, which the gate ignores', async () => {
    const t = await openHarbour();
    const rules = ['# Deletions', '', 'deny remove', '', '# Deletions', 'ask other*'];
    const written = await t.api('PUT', POLICY, { rules }, { 'If-Match': await etagOf(t) });
    expect(written).toMatchObject({ status: 200, body: { rules } });
    const etag = await etagOf(t);
    expect((await t.api('GET', POLICY)).body).toEqual({ rules, proposed: [] });
    const check = { tool: 'remove', arguments: { path: 'a' } };
    expect((await t.api('POST', `${POLICY}/check`, check)).body).toMatchObject({ rule: 'deny remove' });
    const audited = (await t.api<{ items: { rule?: string }[] }>('GET', '/worlds/harbour/audit')).body.items;
    expect(audited.map(({ rule }) => rule).filter((rule) => rule?.startsWith('#'))).toEqual([]);

    const changed = await t.api('PUT', POLICY, { rules: rules.slice(1) }, { 'If-Match': etag });
    expect(changed.headers.get('etag')).not.toBe(etag);
    const hiding = { rules: ['# a comment\nallow remove'] };
    expect(await t.api('PUT', POLICY, hiding, { 'If-Match': await etagOf(t) })).toMatchObject({
      status: 422,
      body: { field: 'rules.0' },
    });
  });

  it('[RULE5.4] warns about an unknown tool and suggests the closest name', async () => {
    const t = await openHarbour();
    const rules = ['# Files', 'deny remvoe', 'ask mcp__later__tool', 'deny remo*', 'deny sandbox_network', 'ask quux'];
    const warnings = [
      { line: 2, rule: 'deny remvoe', code: 'unknown-tool', tool: 'remvoe', closest: 'remove' },
      { line: 6, rule: 'ask quux', code: 'unknown-tool', tool: 'quux' },
    ];
    const written = await t.api('PUT', POLICY, { rules }, { 'If-Match': await etagOf(t) });
    expect(written).toMatchObject({ status: 200, body: { rules, warnings } });
    expect((await t.api('GET', POLICY)).body).toEqual({ rules, proposed: [], warnings });
  });

  it('[RULE5.3] a stored rule that is now invalid denies every call of its tool, with a warning', async () => {
    const t = await openHarbour();
    const stored = ['allow remove(path=a)', 'deny remove(path=b,)'];
    await t.engine.runtime.store.transact('harbour', (tx) => tx.updateWorld('harbour', { policy: stored }));
    await t.propose({ name: 'remove', arguments: { path: 'a' } });
    expect(t.runs).toEqual([]);
    expect((await t.api('GET', POLICY)).body).toEqual({
      rules: stored,
      proposed: [],
      warnings: [
        {
          ...{ line: 2, rule: 'deny remove(path=b,)', code: 'unreadable', verb: 'deny', tool: 'remove' },
          error: 'expected another condition after the comma',
        },
      ],
    });
    // The invalid rule stays until someone fixes it, and doesn't block other changes.
    const more = await t.api('PUT', POLICY, { rules: [...stored, 'ask other*'] }, { 'If-Match': await etagOf(t) });
    expect(more.status).toBe(200);
    const rules = ['allow remove(path=a)', 'deny remove(path=b)'];
    const corrected = await t.api('PUT', POLICY, { rules }, { 'If-Match': await etagOf(t) });
    expect(corrected.body).toEqual({ rules, proposed: [] });
    await t.propose({ name: 'remove', arguments: { path: 'a' } });
    expect(t.runs).toHaveLength(1);
  });

  it('[RULE5] [HTTP1] rejects a rule that can match no call, and names the tool’s arguments', async () => {
    const { tool } = removing();
    const parameters = { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } } };
    const pay = { ...tool, definition: { ...tool.definition, name: 'pay', parameters } };
    const t = await openHarbour({ tools: [pay] });
    const put = async (...rules: string[]) => await t.api('PUT', POLICY, { rules }, { 'If-Match': await etagOf(t) });
    expect(await put('# Money', 'deny pay(two=casino)')).toMatchObject({
      status: 422,
      body: {
        field: 'rules.1',
        detail: expect.stringContaining('pay has no argument "two". Its arguments are to and amount.') as unknown,
      },
    });
    expect(await put('deny pay(to=casino)', 'deny pay(amount > 100)', 'deny later(any=thing)')).toMatchObject({
      status: 200,
    });
    const check = { tool: 'pay', arguments: { to: 'bakery', amount: 5 } };
    expect((await t.api('POST', `${POLICY}/check`, check)).body).toMatchObject({
      outcome: 'ask',
      proposedRule: 'allow pay(amount=5, to=bakery)',
      notApplied: [
        { rule: 'deny pay(to=casino)', code: 'different', argument: 'to', value: 'bakery' },
        { rule: 'deny pay(amount > 100)', code: 'different', argument: 'amount', value: '5' },
      ],
    });
  });

  it('[HTTP10.2] checks what would happen to a call', async () => {
    const t = await openHarbour();
    const check = { tool: 'remove', arguments: { path: 'a' } };
    expect((await t.api('POST', `${POLICY}/check`, check)).body).toMatchObject({ outcome: 'ask' });
    await t.api('PUT', POLICY, { rules: ['deny remove'] }, { 'If-Match': await etagOf(t) });
    expect((await t.api('POST', `${POLICY}/check`, { ...check, agentId: 'ada' })).body).toMatchObject({
      outcome: 'refuse',
      rule: 'deny remove',
    });
    expect((await t.api('POST', `${POLICY}/check`, { ...check, agentId: 'bob' })).status).toBe(404);
    expect(t.runs).toEqual([]);
  });

  it('[HTTP10.3] [CALL5.3] finds earlier calls of a chat that a rule would cover, newest first', async () => {
    const t = await openHarbour();
    await t.propose({ name: 'remove', arguments: { path: 'a' } }, { name: 'remove', arguments: { path: 'b' } });
    const [first, second] = await t.pending();
    const matches = (rule: string, chatId = t.chat) => t.api('POST', `${POLICY}/matches`, { chatId, rule });
    expect(await matches('allow remove')).toMatchObject({
      status: 200,
      body: {
        items: [
          { toolCallId: second?.toolCallId, agentId: 'ada', toolName: 'remove', arguments: { path: 'b' } },
          { toolCallId: first?.toolCallId, arguments: { path: 'a' } },
        ],
        more: false,
      },
    });
    expect((await matches('allow other')).body).toEqual({ items: [], more: false, waiting: [] });
    expect(await matches('maybe remove')).toMatchObject({ status: 422, body: { field: 'rule' } });
    expect((await matches('allow remove', 'chat_of_nobody')).status).toBe(404);
    expect(t.runs).toEqual([]);
  });

  it('[HTTP10.4] [HTTP10.5] [HTTP10.6] [RULE12.3] replays other rules on past calls, and refuses what it can’t read', async () => {
    const t = await openHarbour();
    await t.propose({ name: 'remove', arguments: { path: 'a' } });
    const replay = (body: unknown) => t.api('POST', `${POLICY}/replay`, body);
    const found = await replay({ rules: ['deny remove'] });
    const none = { wouldRunAlthoughDenied: [], notJudged: [], differs: 0, more: false };
    expect(found).toMatchObject({ status: 200, body: { calls: 1, ...none } });
    expect(found.text).toContain('"asked":{"then":1,"now":0}');
    expect((await t.api('GET', POLICY)).body).toEqual({ rules: [], proposed: [] });
    expect(await replay({ rules: ['deny remove('] })).toMatchObject({ status: 422, body: { field: 'rules.0' } });
    for (const body of [{ since: 'soon' }, { since: '0000-00-00T00:00:00Z' }, { rules: 'x' }, { other: 1 }])
      expect((await replay(body)).status).toBe(422);
    expect((await replay({ since: '9999-12-31T23:59:59Z' })).body).toMatchObject({ calls: 0 });
    expect((await t.api('POST', '/worlds/nowhere/policy/replay', {})).status).toBe(404);
    // [HTTP10.6] Progress, and the result as the last event. What is refused is no stream.
    const stream = { Accept: 'text/event-stream' };
    const { text } = await t.api('POST', `${POLICY}/replay`, { rules: ['deny remove'] }, stream);
    expect(text).toMatch(/^event: progress\ndata: \{"calls":0\}\n\nevent: result\ndata: \{"calls":1,.*\}\n\n$/);
    expect(await t.api('POST', `${POLICY}/replay`, { rules: ['deny remove('] }, stream)).toMatchObject({ status: 422 });
    expect((await t.api('GET', `${POLICY}/uses`)).body).toEqual({ items: [] });
    expect((await t.api('GET', '/worlds/nowhere/policy/uses')).status).toBe(404);
    expect(await t.api('GET', `${POLICY}/suggestions`)).toMatchObject({ status: 200, body: { items: [] } });
    expect((await t.api('GET', '/worlds/nowhere/policy/suggestions')).status).toBe(404);
    expect(t.runs).toEqual([]);
  });

  it('[HTTP11] lists the available tools', async () => {
    const t = await openHarbour();
    expect((await t.api('GET', '/worlds/harbour/tools')).body).toMatchObject({
      items: [{ name: 'remove', trusted: true, approval: { required: true } }],
    });
  });
});

const file = `
countersign: 1
name: Harbour Crew
mode: ask
turnLimit: 7
mainAgent: Ada
policy:
  - '# Careful'
  - allow remove
  - ''
  - ask other*
  - deny rm*
agents:
  - name: Ada
    provider: scripted
    model: any
    systemPrompt: |
      You look after the boats.
      You are kind. 🌻
    tools: ['*']
    policy: [ask remove]
  - name: Bob
    provider: scripted
    model: any
    temperature: 0.5
    topP: 0.9
    thinking: 4096
    contextTokens: 32000
    parallelToolCalls: false
    active: false
`;
const yaml = { 'Content-Type': 'application/yaml' };

describe('world files', () => {
  it('[HTTP5.1] an export is byte-identical after import and acceptance of its rules', async () => {
    const t = await openApp();
    expect((await t.api('POST', '/worlds/import', file, yaml)).status).toBe(201);
    const accept = async (id: string): Promise<string> => {
      const shown = await t.api<{ rules: string[]; proposed: string[] }>('GET', `/worlds/${id}/policy`);
      const rules = [...shown.body.proposed, ...shown.body.rules];
      await t.api('PUT', `/worlds/${id}/policy`, { rules }, { 'If-Match': shown.headers.get('etag') ?? '' });
      return (await t.api('GET', `/worlds/${id}/export`)).text;
    };
    const first = await accept('harbour-crew');
    expect(first).toContain('You look after the boats.');
    const again = await t.api<{ id: string }>('POST', '/worlds/import', first, yaml);
    expect(again.body.id).toBe('harbour-crew-2');
    expect(await accept('harbour-crew-2')).toBe(first);
    expect((await t.api('GET', '/worlds/harbour-crew-2')).body).toMatchObject({ mainAgent: 'ada', turnLimit: 7 });
    expect((await t.api('GET', '/worlds/harbour-crew-2/agents')).body).toMatchObject({
      items: [
        { id: 'ada', tools: ['*'], policy: ['ask remove'] },
        { id: 'bob', temperature: 0.5, thinking: 4096, parallelToolCalls: false, active: false },
      ],
    });
  });

  it('[HTTP5.1] [RULE10] an export has rules about effects, and an import only proposes those that allow something', async () => {
    const t = await openApp();
    const allow = 'allow shell_cmd(npm run build) writing dist/** removing nothing';
    const asks = ['deny shell_cmd changing .github/**', 'ask shell_cmd removing *'];
    await t.api('POST', '/worlds', { name: 'Builds' });
    const tag = (await t.api('GET', '/worlds/builds/policy')).headers.get('etag') ?? '';
    const put = await t.api('PUT', '/worlds/builds/policy', { rules: [allow, ...asks] }, { 'If-Match': tag });
    expect(put.status).toBe(200);
    const { text } = await t.api('GET', '/worlds/builds/export');
    const made = await t.api<{ id: string }>('POST', '/worlds/import', text, yaml);
    expect(made).toMatchObject({ status: 201, body: { id: 'builds-2' } });
    expect((await t.api('GET', '/worlds/builds-2/policy')).body).toMatchObject({ rules: asks, proposed: [allow] });
  });

  it('[HTTP5.1] imported allow rules have no effect until a person adds them to the policy', async () => {
    const { tool, runs } = removing();
    const t = await openApp({ tools: [tool] });
    const made = await t.api('POST', '/worlds/import', file, yaml);
    expect(made.body).toMatchObject({ proposed: ['allow remove'], notes: [expect.any(String) as string] });
    const shown = await t.api('GET', '/worlds/harbour-crew/policy');
    expect(shown.body).toEqual({ rules: ['# Careful', '', 'ask other*', 'deny rm*'], proposed: ['allow remove'] });
    const check = async () =>
      (await t.api('POST', '/worlds/harbour-crew/policy/check', { tool: 'remove', arguments: {} })).body['outcome'];
    expect(await check()).toBe('ask');
    // Another policy change keeps the proposal.
    const put = async (rules: string[]) => await t.api('PUT', CREW, { rules }, { 'If-Match': await etagOf(t, CREW) });
    const other = await put(['deny rm*']);
    expect(other.body).toEqual({ rules: ['deny rm*'], proposed: ['allow remove'] });
    expect(await check()).toBe('ask');
    const rules = ['deny rm*', 'allow remove'];
    const accepted = await put(rules);
    expect(accepted.body).toEqual({ rules, proposed: [] });
    expect(await check()).toBe('run');
    expect(runs).toEqual([]);
  });

  it('[HTTP5.1] a proposal can be dismissed, and new ones can’t be added through the API', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds/import', file, yaml);
    const put = async (body: Record<string, unknown>) =>
      await t.api('PUT', CREW, body, { 'If-Match': await etagOf(t, CREW) });
    expect(await put({ rules: [], proposed: ['allow rm'] })).toMatchObject({
      status: 422,
      body: { field: 'proposed.0' },
    });
    expect((await put({ rules: [], proposed: [] })).body).toEqual({ rules: [], proposed: [] });
  });

  it('[HTTP5.1] [RULE2] mode auto and the working folder are not imported, and the notes say so', async () => {
    const t = await openApp();
    const text = 'countersign: 1\nname: Wide\nmode: auto\nworkingDirectory: /etc\n';
    const made = await t.api<{ notes: string[] }>('POST', '/worlds/import', text, yaml);
    expect(made.body).toMatchObject({ mode: 'ask' });
    expect(made.body).not.toHaveProperty('workingDirectory');
    expect(made.body.notes).toHaveLength(2);
  });

  const bomb = `a: &a [x, x, x, x]\n${'bcdefghi'
    .split('')
    .map((name, i) => `${name}: &${name} [${`*${'abcdefghi'[i]}, `.repeat(9)}]`)
    .join('\n')}\n`;
  it.each([
    ['an alias bomb', bomb, 400],
    ['an alias to itself', 'a: &a [*a]', 400],
    ['deep nesting', '['.repeat(scaled(40_000, 5_000)), 400],
    ['too many tokens', '- a\n'.repeat(100_000), 413],
    ['many keys', Array.from({ length: scaled(10_000, 1_000) }, (_, i) => `k${i}: 1`).join('\n'), 422],
    ['deep, balanced nesting', `a: ${'['.repeat(200)}${']'.repeat(200)}`, 422],
    ['a tag', 'countersign: 1\nname: !!js/function "x"', 400],
    ['two documents', 'countersign: 1\n---\nname: x', 400],
    ['a duplicate key', 'countersign: 1\ncountersign: 1', 400],
    ['no YAML', 'a: b: c: [', 400],
    ['nothing', ' \n', 400],
    ['a list', '- a', 422],
    ['another version', 'countersign: 2\nname: x', 422],
    ['an unknown field', 'countersign: 1\nname: x\nsecret: y', 422],
    ['a bad rule', 'countersign: 1\nname: x\npolicy: [maybe]', 422],
    ['a duplicate agent', `${file}  - { name: ADA, provider: x, model: y }\n`, 422],
    ['an unknown main agent', 'countersign: 1\nname: x\nmainAgent: Ada', 422],
    ['a million lines', 'x\n'.repeat(600_000), 413],
  ])('[HTTP1] a file with %s is rejected and writes nothing', async (_, text, status) => {
    const t = await openApp();
    const answer = await t.api('POST', '/worlds/import', text, yaml);
    expect(answer.status).toBe(status);
    expect((await t.api('GET', '/worlds')).body).toEqual({ items: [] });
  });

  it('[HTTP1] a file without a YAML content type is rejected', async () => {
    const t = await openApp();
    expect((await t.api('POST', '/worlds/import', file)).status).toBe(415);
  });
});
