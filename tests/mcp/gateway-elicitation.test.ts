import type { CreatedExternalAgent } from '@countersign/protocol';
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { closeApps, until } from '../../packages/server/src/testing/app-fixture.js';
import { openHarbour, type Harbour } from '../../packages/server/src/testing/harbour.js';
import { root } from '../support/source-modules.js';

afterEach(closeApps);

const VERSIONS = ['legacy', { pin: '2026-07-28' }] as const;
const PAGE = { webRoot: `${root}docs` };

interface Asked {
  url?: string;
  message?: string;
}

interface Connected extends Harbour {
  client: Client;
  asked: Asked[];
  /** Calls the tool `remove`. */
  call(args: Record<string, unknown>): Promise<string>;
  decide(decision: 'approve' | 'deny', reason?: string): Promise<void>;
}

interface ClientOptions {
  mode: (typeof VERSIONS)[number];
  capabilities?: object;
  context?: { webRoot?: string };
  answer: () => ElicitResult;
}

/** A client of the official SDK, connected to the gateway of a world. */
async function connect({ mode, capabilities, context = PAGE, answer }: ClientOptions): Promise<Connected> {
  const t = await openHarbour({ context });
  const agent = { name: 'Cursor', program: 'cursor', tools: ['remove'] };
  const { body } = await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', agent);
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: capabilities ?? { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode } },
  );
  const asked: Asked[] = [];
  if (capabilities === undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.mode === 'url' ? { url: params.url, message: params.message } : {});
      return answer();
    });
  }
  const headers = { authorization: `Bearer ${body.token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${t.url}/mcp/harbour`), { requestInit: { headers } });
  await client.connect(transport);
  onTestFinished(async () => await client.close());
  return {
    ...t,
    client,
    asked,
    async call(args) {
      const { content } = await client.callTool({ name: 'remove', arguments: args }, { onprogress: () => undefined });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    },
    async decide(decision, reason) {
      const [approval] = await until(async () => {
        const pending = await t.pending();
        return pending.length > 0 ? pending : undefined;
      }, 'the call needs approval');
      await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: approval?.approvalId, decision, reason });
    },
  };
}

for (const mode of VERSIONS) {
  const name = mode === 'legacy' ? '2025-11-25' : mode.pin;

  it(`[EXT2.9] shows a client of protocol ${name} the link to the approval, and only the approval decides`, async () => {
    for (const action of ['accept', 'decline', 'cancel'] as const) {
      const t = await connect({ mode, answer: () => ({ action }) });
      const answer = t.call({ path: action });
      await until(async () => t.asked[0], 'the client is asked to open the link');
      expect(t.asked[0]?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/w\/harbour\/c\/chat_\w+\?approval=[\w-]+$/);
      expect(t.asked[0]?.message).toContain('remove needs approval');
      expect([t.runs, (await t.pending()).length]).toEqual([[], 1]);
      await t.decide('approve');
      expect(await answer).toBe('removed');
      const denied = t.call({ path: 'other' });
      await until(async () => t.asked[1], 'the client is asked again');
      await t.decide('deny', 'not today');
      expect(await denied).toContain('not today');
      expect([t.runs, t.asked.length, t.errors]).toEqual([[{ path: action }], 2, []]);
    }
  });

  it(`[EXT2.9] ignores that a client of protocol ${name} fails to show the link`, async () => {
    const t = await connect({
      mode,
      answer: () => {
        throw new Error('no browser here');
      },
    });
    const first = t.call({ path: 'a' }).catch((error: unknown) => String(error));
    await until(async () => t.asked[0], 'the client is asked to open the link');
    // A client of 2026-07-28 then gives up, and its model repeats the call.
    const again = mode === 'legacy' ? first : first.then(() => t.call({ path: 'a' }));
    await t.decide('approve');
    expect(await again).toBe('removed');
    expect([t.runs, t.asked.length, t.errors]).toEqual([[{ path: 'a' }], 1, []]);
  });

  it(`[EXT2.9] shows no link to a client of protocol ${name} that can't open it, or without a page`, async () => {
    const answer = (): ElicitResult => ({ action: 'accept' });
    for (const options of [{ capabilities: { elicitation: { form: {} } } }, { capabilities: {} }, { context: {} }]) {
      const t = await connect({ mode, answer, ...options });
      const called = t.call({ path: 'a' });
      await t.decide('approve');
      expect(await called).toBe('removed');
      expect([t.asked, t.errors]).toEqual([[], []]);
    }
  });

  it(`[EXT2.9] shows no link to a client of protocol ${name} if a rule allows the call`, async () => {
    const t = await connect({ mode, answer: () => ({ action: 'accept' }) });
    const { headers } = await t.api('GET', '/worlds/harbour/policy');
    const match = { 'if-match': headers.get('etag') ?? '' };
    await t.api('PUT', '/worlds/harbour/policy', { rules: ['allow remove'] }, match);
    expect(await t.call({ path: 'a' })).toBe('removed');
    expect(t.asked).toEqual([]);
  });
}

it('[EXT2.9] closes the dialog of a client of protocol 2025-11-25 once the call is decided elsewhere', async () => {
  const t = await connect({ mode: 'legacy', answer: () => ({ action: 'accept' }) });
  const closed: string[] = [];
  t.client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
    closed.push(params.elicitationId);
  });
  let isOpen: boolean | undefined;
  t.client.setRequestHandler('elicitation/create', (_, { mcpReq }) => {
    isOpen = true;
    return new Promise((_resolve, reject) => {
      mcpReq.signal.addEventListener('abort', () => {
        isOpen = false;
        reject(new Error('closed'));
      });
    });
  });
  const answer = t.call({ path: 'a' });
  await until(async () => isOpen, 'the dialog is open');
  const [pending] = await t.pending();
  await t.decide('approve');
  expect(await answer).toBe('removed');
  expect([isOpen, closed, t.errors]).toEqual([false, [pending?.toolCallId], []]);
});

it('[EXT2.9] [EXT2.1] gives a client that comes back from a link only its own call, and runs nothing else', async () => {
  const t = await connect({ mode: { pin: '2026-07-28' }, answer: () => ({ action: 'accept' }) });
  await t.propose({ name: 'remove', arguments: { path: 'of ada' } });
  const [ofAda] = await t.pending();
  for (const requestState of [ofAda?.toolCallId ?? '', 'call_none', '']) {
    const params = { name: 'remove', arguments: { path: 'a' }, requestState, inputResponses: {} };
    const { content, isError } = await t.client.callTool(params);
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('no call with this id')]);
  }
  expect([t.runs, await t.pending()]).toEqual([[], [ofAda]]);
});
