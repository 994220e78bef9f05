import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../testing/ask.js';
import { describeProvider } from '../../testing/provider-contract.js';
import { responsesWire } from '../../testing/responses-wire.js';
import { json, startWireServer, type WireServer } from '../../testing/wire-server.js';
import { WEATHER } from '../../testing/wire.js';
import { compatibleWith, isOpenai } from '../openai.js';

describeProvider(responsesWire);

describe('the responses API', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(() => server.close());
  const options = () => ({ name: 'openai', baseURL: `${server.url}/v1`, apiKey: 'sk-test' });

  it('[MODEL10.1] sends the model settings of an agent', async () => {
    server.will(json(200, responsesWire.whole({ text: 'ok' })));
    const settings = { thinking: 'high' as const, topP: 0.9, maxTokens: 1_000, parallelToolCalls: false };
    await ask(responsesWire.connect(server.url, 'sk-test'), { ...settings, tools: [WEATHER] });
    expect(server.requests.at(-1)?.body).toMatchObject({
      reasoning: { effort: 'high', summary: 'auto' },
      top_p: 0.9,
      max_output_tokens: 25_576,
      parallel_tool_calls: false,
    });
  });

  it('[MODEL11] asks again without a summary if the organization may not have one', async () => {
    const error = {
      message: 'Your organization must be verified.',
      param: 'reasoning.summary',
      code: 'unsupported_value',
    };
    server.will(json(400, { error }), json(200, responsesWire.whole({ text: 'ok' })));
    const answer = await ask(responsesWire.connect(server.url, 'sk-test'), { thinking: 'low' });
    expect(answer).toMatchObject({ type: 'text', content: 'ok' });
    expect(server.requests.at(-1)?.body).toMatchObject({ reasoning: { effort: 'low' } });
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('summary');
  });

  it('[MODEL11.3] is used only at OpenAI itself, and only for thinking', async () => {
    expect(isOpenai(undefined)).toBe(true);
    expect(isOpenai('https://api.openai.com/v1')).toBe(true);
    expect(isOpenai('https://api.openai.com.evil.example/v1')).toBe(false);
    server.will(json(200, { choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }));
    await ask(compatibleWith(options(), { dialect: 'openai' }), { thinking: 'low' });
    expect(server.requests.at(-1)).toMatchObject({ path: '/v1/chat/completions', body: { reasoning_effort: 'low' } });
  });
});
