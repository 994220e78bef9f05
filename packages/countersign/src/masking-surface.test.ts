import { createFakeClock, hostileCalls } from '@countersign/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ToolFailure } from './index.js';
import { closeTestWorlds, gated, openTestWorld, tool, type TestWorld } from './testing/fixture.js';
import { first, lastResults, obedient, propose, recorder } from './testing/obedient.js';

const KEY = 'sk-ant-api03-Zm9yLXRlc3RzLW9ubHktbm90LWEta2V5LWF0LWFsbA';
const GITHUB = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const PASSWORD = 'correct-horse-battery';

afterEach(closeTestWorlds);

/** Everything a person, a log or a listener can see of a world. */
async function everythingShown({ world, chat, events, errors }: TestWorld): Promise<string> {
  const approvals = await world.approvals({});
  const shown = [
    events,
    await chat.messages(),
    await chat.memory('ada'),
    await chat.title(),
    approvals,
    await Promise.all(approvals.map(({ approvalId }) => world.approval(approvalId))),
    await world.audit(),
    await world.grants(),
    await world.policy(),
    errors.map(({ error, what }) => [String(error), what]),
  ];
  return JSON.stringify(shown);
}

/** The places where a secret is visible, with some context. */
function leaks(shown: string, secrets: readonly string[] = [PASSWORD, KEY, GITHUB]): string[] {
  return secrets.flatMap((secret) => {
    const at = shown.indexOf(secret);
    return at < 0 ? [] : [shown.slice(Math.max(0, at - 150), at + secret.length)];
  });
}

describe('secrets', () => {
  it('[SAFE6] in arguments reach the tool and nobody else', async () => {
    const { runs, tool: call } = recorder('call', {
      approval: { required: true, message: 'Call {url} as {password}' },
    });
    const t = await openTestWorld({ script: obedient, tools: [call] });
    const secret = {
      url: `https://meg:${PASSWORD}@harbour.example/x`,
      password: PASSWORD,
      headers: { Authorization: `Bearer ${KEY}` },
      command: `GITHUB_TOKEN=${GITHUB} deploy --password ${PASSWORD} && echo $HOME`,
    };
    await propose(t, { name: 'call', arguments: secret });
    const approval = await t.onlyApproval();
    expect(approval.arguments).toMatchObject({ command: expect.stringContaining('$HOME') as unknown });
    await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    expect(runs).toEqual([secret]);
    const shown = await everythingShown(t);
    expect(leaks(shown)).toEqual([]);
    expect(shown).toContain('cor‹masked 1: 15 characters›ery');
  });

  it('[SAFE6] in results, errors and output are masked where people see them', async () => {
    const t = await openTestWorld({
      script: obedient,
      tools: [
        tool('show', async (_args, { output }) => {
          output(`export TOKEN=${GITHUB}\n`);
          output(KEY.slice(0, 20));
          output(KEY.slice(20));
          output(' end\n', 'stderr');
          return { env: `password=${PASSWORD}`, key: KEY };
        }),
        tool('fail', async () => {
          throw new ToolFailure(`refused: Authorization: Bearer ${KEY}`, { stderr: `token ${GITHUB}` });
        }),
      ],
    });
    await propose(t, { name: 'show' }, { name: 'fail' });
    const shown = await everythingShown(t);
    expect(leaks(shown)).toEqual([]);
    expect(t.events.some(({ event }) => event === 'tool-output')).toBe(true);
  });

  it('[SAFE6] in a person’s reason are masked in events, messages and the audit log', async () => {
    for (const decision of ['approve', 'deny'] as const) {
      const t = await openTestWorld({ script: obedient, tools: [recorder().tool] });
      await propose(t, { name: 'remove' });
      await t.world.decide(await t.onlyApproval(), { decision, reason: `use ${GITHUB} instead` });
      await t.chat.settled();
      const shown = await everythingShown(t);
      expect(leaks(shown)).toEqual([]);
      expect(shown).toContain('instead');
    }
  });

  it('[SAFE6] typed by a person into edited arguments are masked like any others', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    await propose(t, { name: 'remove', arguments: { password: 'old-password-1' } });
    await t.world.decide(await t.edit({ password: PASSWORD, key: KEY }), { decision: 'approve' });
    await t.chat.settled();
    expect(runs).toEqual([{ password: PASSWORD, key: KEY }]);
    const shown = await everythingShown(t);
    expect(leaks(shown)).toEqual([]);
  });

  it('[SAFE6] in messages of agents and people are masked, across chunks and in titles', async () => {
    const t = await openTestWorld({
      script: () => `Your key is ${KEY} and the password is password=${PASSWORD} done`,
      model: { title: `About ${GITHUB}` },
    });
    await t.chat.send(`my token: ${GITHUB}`);
    await t.chat.settled();
    await t.world.quiet();
    const shown = await everythingShown(t);
    expect(leaks(shown)).toEqual([]);
    expect(await t.chat.title()).toContain('About');
    const chunks = t.events.flatMap((event) => (event.event === 'sse' ? [event.data.content ?? ''] : [])).join('');
    expect(chunks).toContain('Your key is');
    expect(chunks).not.toContain(KEY.slice(0, 24));
  });

  it('[SAFE6] in refused calls are masked too: reserved names, unknown tools, invalid JSON, denied by a rule', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool], policy: ['deny remove'] });
    await propose(
      t,
      { name: 'client.requestApproval', arguments: { key: KEY, password: PASSWORD } },
      { name: 'nothing', arguments: { password: PASSWORD } },
      { name: 'nothing', arguments: `{"token":"${GITHUB}` },
      { name: 'remove', arguments: { password: PASSWORD } },
    );
    const shown = await everythingShown(t);
    expect(leaks(shown)).toEqual([]);
  });

  it('[SAFE6] in the error of a tool that can’t report its subjects are masked', async () => {
    const { tool: remove } = recorder();
    const clumsy = {
      ...remove,
      subjects: () => {
        throw new Error(`can't parse https://meg:${PASSWORD}@harbour.example with ${GITHUB}`);
      },
    };
    const t = await openTestWorld({ script: obedient, tools: [clumsy] });
    await propose(t, { name: 'remove' });
    const shown = await everythingShown(t);
    expect(leaks(shown)).toEqual([]);
  });

  it('[SAFE6] in rules that a person writes are masked in the audit log and on cards', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool] });
    await t.world.setPolicy([`ask remove(token=${GITHUB})`]);
    await propose(t, { name: 'remove', arguments: { token: GITHUB } });
    const shown = JSON.stringify([await t.world.audit(), await t.world.approvals(), t.events]);
    expect(leaks(shown)).toEqual([]);
  });

  it('[SAFE6] masked in an argument are also masked in the tool’s output', async () => {
    const t = await openTestWorld({
      script: obedient,
      tools: [
        gated('login', async ({ password }) => {
          throw new Error(`the server said: "${String(password)}" is wrong`);
        }),
      ],
    });
    await propose(t, { name: 'login', arguments: { password: PASSWORD } });
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(t.toolEvents().at(-1)).toMatchObject({ type: 'TOOL_EXECUTION_FAILED' });
    const shown = [t.events, await t.chat.messages(), await t.chat.memory('ada'), await t.world.audit()];
    expect(leaks(JSON.stringify(shown))).toEqual([]);
  });

  it('[SAFE6] are not masked in the model’s view, so that it can work with them', async () => {
    const t = await openTestWorld({ script: obedient, tools: [tool('read', async () => `key ${GITHUB}`)] });
    await propose(t, { name: 'read' });
    expect(JSON.stringify(t.provider.requests.at(-1)?.messages)).toContain(GITHUB);
  });
});

describe('what a call would run', () => {
  it('[SAFE6] [LOG1] is on its card, in its events and in the audit log, however it is disguised', async () => {
    const { tool: run } = recorder('execute');
    const t = await openTestWorld({ script: obedient, tools: [run] });
    const attacks = hostileCalls().filter((_, index) => index % 18 === 0);
    await propose(t, ...attacks.map((call) => ({ name: 'execute', arguments: call.arguments })));
    const approvals = await t.world.approvals();
    const requests = (await t.world.audit()).filter(({ kind }) => kind === 'request');
    const requested = t.toolEvents().filter(({ type }) => type === 'TOOL_APPROVAL_REQUESTED');
    for (const shown of [approvals, requests, requested]) {
      expect(shown).toHaveLength(attacks.length);
      const hidden = attacks.filter(({ payload }, at) => {
        const told = JSON.stringify((shown[at] as { arguments: unknown }).arguments);
        return !told.includes(JSON.stringify(payload).slice(1, -1));
      });
      expect(hidden).toEqual([]);
    }
  });

  it('[TURN11.3] is refused if nobody could read it', async () => {
    const { runs, tool: write } = recorder('write');
    const t = await openTestWorld({ script: obedient, tools: [write] });
    await propose(t, { name: 'write', arguments: { content: '\u202ea'.repeat(30_000) } });
    expect(await t.world.approvals()).toEqual([]);
    const error = expect.stringContaining("people can't read them") as unknown;
    expect(t.toolEvents().at(-1)).toMatchObject({ type: 'TOOL_EXECUTION_FAILED', error });
    expect(runs).toEqual([]);
  });
});

describe('a long text', () => {
  it('[SAFE6.4] of a person or a model is shown whole, with its secrets masked', async () => {
    const filler = 'just words, and more of them. '.repeat(3_000);
    const long = `password=first-secret ${filler}password=middle-secret ${filler}password=last-secret. The end`;
    const t = await openTestWorld({ script: () => long });
    await t.chat.send(long);
    await t.chat.settled();
    const heard = t.events.flatMap((event) => (event.event === 'message' ? [event.data] : []));
    for (const messages of [await t.chat.messages(), heard]) {
      const contents = messages.filter(({ role }) => role !== 'system').map(({ content }) => content);
      expect(contents).toHaveLength(2);
      for (const content of contents) {
        expect(content).not.toMatch(/characters not shown|-secret/);
        expect(content.match(/password=\S*‹masked \d: \d+ characters›/g)).toHaveLength(3);
        expect(content).toMatch(/The end$/);
      }
    }
  });
});

describe('a mask that a model copies', () => {
  it('[TURN11.2] [TURN14] fails its call before anyone is asked, for every tool', async () => {
    const { runs, tool: write } = recorder('write');
    const read = tool('read', async (args) => void runs.push(args));
    const t = await openTestWorld({ script: obedient, tools: [write, read], policy: ['allow read'] });
    const copied = { path: 'package.json', content: '{ "‹masked›": "‹masked› serve" }' };
    const settled = await propose(
      t,
      { name: 'write', arguments: copied },
      { name: 'read', arguments: { q: 'cor‹masked 1: 15 characters›ery' } },
    );
    expect(settled).toBe('idle');
    expect(t.toolEvents().map(({ type }) => type)).toEqual(['TOOL_EXECUTION_FAILED', 'TOOL_EXECUTION_FAILED']);
    const error = expect.stringContaining('which stands for text you were not shown') as unknown;
    expect(lastResults(t)).toEqual([{ error }, { error }]);
    expect(await t.world.approvals()).toEqual([]);
    expect(runs).toEqual([]);
  });

  it('[TURN11.2] [CALL7.4] [SAFE6] also fails its call if it comes from arguments that a person edited, although the person may send it back', async () => {
    const { runs, tool: write } = recorder('write');
    const t = await openTestWorld({ script: obedient, tools: [write] });
    await propose(t, { name: 'write', arguments: { path: 'a', password: PASSWORD } });
    const edited = { path: 'b', password: 'cor‹masked 1: 15 characters›ery' };
    await t.world.decide(await t.edit(edited), { decision: 'approve' });
    await t.chat.settled();
    expect(runs).toEqual([{ path: 'b', password: PASSWORD }]);
    expect(lastResults(t)).toEqual([{ result: { edited_by_person: edited, result: 'write ran' } }]);
    expect(await propose(t, { name: 'write', arguments: edited })).toBe('idle');
    expect(runs).toHaveLength(1);
  });
});

describe('hidden characters', () => {
  it('[SAFE6.7] control, bidi and zero-width characters are shown as escapes, and long runs of whitespace as a count', async () => {
    const { runs, tool: remove } = recorder('remove', { approval: { required: true, message: 'Remove {path}' } });
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    const path = `safe\u202etxt.\u200b\u0007${' '.repeat(200)}/etc`;
    await propose(t, { name: 'remove', arguments: { path } });
    const approval = await t.onlyApproval();
    const asked = (await t.chat.messages()).filter(({ role }) => role === 'assistant');
    const shown = JSON.stringify([approval, asked, t.toolEvents()]);
    expect(leaks(shown, ['\u202e', '\u200b', '\\u0007', ' '.repeat(50)])).toEqual([]);
    expect(approval.message).toContain('‹U+202E›');
    expect(approval.message).toContain('200 spaces');
    await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    expect(runs).toEqual([{ path }]);
  });

  it('[SAFE6] [CALL7.4] that are sent back as shown don’t count as an edit', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [remove], clock: createFakeClock() });
    const note = `‹masked one› ‹‹ \u202e${' '.repeat(99)} ${GITHUB}`;
    await propose(t, { name: 'remove', arguments: { note, password: PASSWORD } });
    const approval = await t.onlyApproval();
    const sent = approval.arguments as Record<string, unknown>;
    expect(JSON.stringify(sent)).not.toContain(GITHUB);
    expect(await t.world.decide(approval, { decision: 'approve', arguments: sent })).toMatchObject({
      status: 422,
      detail: expect.stringContaining('Nothing was changed') as string,
    });
    await t.world.decide(await t.edit({ ...sent, more: 1 }), { decision: 'approve' });
    await t.chat.settled();
    expect(first(runs)).toEqual({ note, password: PASSWORD, more: 1 });
  });
});
