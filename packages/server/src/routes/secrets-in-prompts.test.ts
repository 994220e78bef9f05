import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp } from '../testing/app-fixture.js';

afterEach(closeApps);

const KEY = 'sk-proj-4f9aQ2mZ81kLxP0dVtR7cYbN3wEuHs6J';
const PROMPT = `You are Ada.\n\tUse this key:   api_key=${KEY}\n\n\n\n\nBe kind 🙂.`;
const AGENT = '/worlds/harbour/agents/ada';

async function openWithKey() {
  const t = await openApp({ script: () => 'ok' });
  await t.api('POST', '/worlds', { name: 'Harbour' });
  const made = await t.api('POST', '/worlds/harbour/agents', {
    name: 'Ada',
    provider: 'scripted',
    model: 'm',
    systemPrompt: PROMPT,
  });
  return { t, made };
}

/** The system prompt that Ada's model gets now. */
async function prompted(t: Awaited<ReturnType<typeof openApp>>): Promise<string> {
  const chat = await t.api<{ id: string }>('POST', '/worlds/harbour/chats', {});
  await t.api('POST', `/worlds/harbour/chats/${chat.body.id}/messages`, { content: '@Ada hello' });
  await t.engine.quiet();
  return JSON.stringify(t.provider.requests.at(-1)?.messages ?? t.provider.requests);
}

describe('a key pasted into a prompt', () => {
  it('[SAFE6] is masked wherever agents are shown, and the rest of the prompt is unchanged', async () => {
    const { t, made } = await openWithKey();
    const shown = await t.api<{ systemPrompt: string }>('GET', AGENT);
    const list = await t.api('GET', '/worlds/harbour/agents');
    const file = await t.api('GET', '/worlds/harbour/export');
    const changed = await t.api('PATCH', AGENT, { temperature: 1 });
    for (const { text } of [made, shown, list, file, changed]) expect(text).not.toContain(KEY);
    expect(shown.body.systemPrompt).toBe(PROMPT.replace(KEY.slice(4, -4), `‹masked 1: ${KEY.length - 8} characters›`));
    expect(await prompted(t)).toContain(KEY);
  });

  it('[SAFE6] is kept when the masked prompt is sent back, unchanged or edited', async () => {
    const { t } = await openWithKey();
    const shown = await t.api<{ systemPrompt: string }>('GET', AGENT);
    const { systemPrompt } = shown.body;
    const same = await t.api('PATCH', AGENT, { systemPrompt }, { 'If-Match': shown.headers.get('etag') ?? '' });
    expect(same.headers.get('etag')).toBe(shown.headers.get('etag'));
    await t.api('PATCH', AGENT, { systemPrompt: systemPrompt.replace('kind', 'quick') });
    expect(await prompted(t)).toContain(KEY);
    expect(JSON.stringify(await t.api('GET', AGENT))).toContain('quick');
  });

  it('[SAFE6] [HTTP1] an unknown mask is rejected, and nothing is written', async () => {
    const { t } = await openWithKey();
    const before = await t.api('GET', AGENT);
    const refused = await t.api('PATCH', AGENT, { systemPrompt: 'key: ‹masked 7›' });
    expect(refused).toMatchObject({ status: 422, body: { field: 'systemPrompt' } });
    expect((await t.api('GET', AGENT)).text).toBe(before.text);
  });

  it('[HTTP5.1] an import reports the missing secret', async () => {
    const { t } = await openWithKey();
    const { text } = await t.api('GET', '/worlds/harbour/export');
    const made = await t.api('POST', '/worlds/import', text, { 'Content-Type': 'application/yaml' });
    expect(JSON.stringify(made.body)).toContain('Secrets in the prompt of Ada were masked');
  });
});

describe('a key in the definition of an MCP server', () => {
  it('[SAFE6] [HTTP5.1] is in no export, whichever field it was pasted into', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Harbour' });
    const servers = [
      { name: 'one', transport: 'stdio', command: `run --token=${KEY}`, args: ['--api-key', KEY], env: { K: KEY } },
      { name: 'two', transport: 'http', url: `https://u:${KEY}@example.com/?token=${KEY}`, headers: { A: KEY } },
    ];
    for (const server of servers) {
      const made = await t.api('POST', '/worlds/harbour/mcp-servers', { ...server, enabled: false });
      expect([made.status, made.text.includes(KEY)]).toEqual([201, false]);
    }
    expect((await t.api('GET', '/worlds/harbour/mcp-servers')).text).not.toContain(KEY);
    expect((await t.api('GET', '/worlds/harbour/export')).text).not.toContain(KEY);
  });
});
