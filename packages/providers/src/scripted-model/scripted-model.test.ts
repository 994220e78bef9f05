import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  anthropicConversation,
  chatConversation,
  collect,
  googleConversation,
  responsesConversation,
  type SdkOptions,
} from '../testing/sdk-conversations.js';
import { startScriptedModel } from './start-scripted-model.js';
import type { ModelScript, ScriptedModel, ScriptedModelOptions, ServedRequest } from './types.js';

let models: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(models.map((model) => model.close()));
  models = [];
});

async function start(script: ScriptedModelOptions['script'], more: Partial<ScriptedModelOptions> = {}) {
  const model = await startScriptedModel({ script, ...more });
  models.push(model);
  return model;
}

const WEATHER: ModelScript = {
  models: ['first-model', 'second-model'],
  replies: [
    { when: { model: 'mute' }, error: { status: 404 } },
    { when: { system: 'You are Bob.' }, text: 'I am Bob.' },
    {
      when: { user: 'weather', turn: 1 },
      text: 'Let me look. 日本 👋',
      thinking: 'They want the weather.',
      calls: [
        { name: 'weather', arguments: { city: 'Paris' } },
        { name: 'weather', arguments: { city: 'Zürich 🌧', days: [1, 2.5, null] } },
      ],
      usage: { input: 12, output: 34 },
    },
    { when: { toolResult: '/^rain$/i' }, text: 'Take an umbrella.' },
    { when: { turn: 2 }, calls: [{ name: 'weather' }] },
    { when: { turn: 3, user: 'weather' }, text: 'No umbrella.' },
    { when: { user: 'bad key' }, error: { status: 401, message: 'Wrong key.' } },
    { when: { user: 'slow down' }, error: { status: 429, retryAfter: 7 } },
    { when: { user: 'break' }, error: { status: 500, message: 'Broken.' } },
    { when: { user: 'drop' }, text: 'This answer has many words and stops before the end.', connection: 'drop' },
    { when: { user: 'leave' }, connection: 'drop' },
    { when: { user: 'hang' }, connection: 'hang' },
    { when: { tool: 'weather', user: 'tools?' }, text: 'I have tools.' },
    'Hello.',
  ],
};

type Errors = Record<'auth' | 'missing' | 'limited' | 'failed', new (...given: never[]) => Error>;
const openaiErrors: Errors = {
  auth: OpenAI.AuthenticationError,
  missing: OpenAI.NotFoundError,
  limited: OpenAI.RateLimitError,
  failed: OpenAI.InternalServerError,
};
const anthropicErrors: Errors = {
  auth: Anthropic.AuthenticationError,
  missing: Anthropic.NotFoundError,
  limited: Anthropic.RateLimitError,
  failed: Anthropic.InternalServerError,
};
const googleErrors: Errors = { auth: ApiError, missing: ApiError, limited: ApiError, failed: ApiError };

const SDKS = [
  {
    sdk: 'Anthropic messages',
    open: (options: SdkOptions) => anthropicConversation(options, Anthropic),
    errors: anthropicErrors,
  },
  {
    sdk: 'OpenAI chat completions',
    open: (options: SdkOptions) => chatConversation(options, OpenAI),
    errors: openaiErrors,
  },
  {
    sdk: 'OpenAI responses',
    open: (options: SdkOptions) => responsesConversation(options, OpenAI),
    errors: openaiErrors,
  },
  { sdk: 'Gemini', open: (options: SdkOptions) => googleConversation(options, GoogleGenAI), errors: googleErrors },
].flatMap((row) => [true, false].map((stream) => ({ ...row, stream })));

async function failure(asking: Promise<unknown>): Promise<unknown> {
  return await asking.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}

describe.each(SDKS)('the scripted model through the SDK of $sdk (streaming: $stream)', ({ open, errors, stream }) => {
  it('[MODEL6] answers with text, thinking and parallel calls, and accepts their results', async () => {
    const { url, requests } = await start(WEATHER);
    const ada = open({ url, stream });
    const asked = await ada.say('What is the weather?');
    expect(asked).toEqual({
      text: 'Let me look. 日本 👋',
      thinking: 'They want the weather.',
      calls: [
        { name: 'weather', arguments: { city: 'Paris' } },
        { name: 'weather', arguments: { city: 'Zürich 🌧', days: [1, 2.5, null] } },
      ],
      usage: { input: 12, output: 34 },
    });
    expect(await ada.results('sun', 'sun')).toMatchObject({ text: '', calls: [{ name: 'weather', arguments: {} }] });
    expect(await ada.results('sun')).toMatchObject({ text: 'No umbrella.', calls: [] });
    expect(await ada.say('thanks')).toMatchObject({ text: 'Hello.' });
    expect(requests.map(({ user, turn, toolResults }) => ({ user, turn, toolResults }))).toEqual([
      { user: 'What is the weather?', turn: 1, toolResults: [] },
      { user: 'What is the weather?', turn: 2, toolResults: ['sun', 'sun'] },
      { user: 'What is the weather?', turn: 3, toolResults: ['sun'] },
      { user: 'thanks', turn: 1, toolResults: [] },
    ]);
    expect(requests[1]).toMatchObject({ system: 'You are Ada.', tools: ['weather'], stream });
  });

  it('[MODEL6.1] chooses by tool result, system prompt, model and tool, even after a restart', async () => {
    const first = await start(WEATHER);
    const [ada, bob] = [open({ url: first.url, stream }), open({ url: first.url, stream, system: 'You are Bob.' })];
    await ada.say('weather');
    expect(await bob.say('weather')).toMatchObject({ text: 'I am Bob.' });
    await first.close();
    models = [];
    const { url } = await start(WEATHER);
    ada.moveTo(url);
    expect(await ada.results('sun', 'RAIN')).toMatchObject({ text: 'Take an umbrella.' });
    expect(await ada.say('tools?')).toMatchObject({ text: 'I have tools.' });
    expect(await failure(open({ url, stream, model: 'mute-1' }).say('hi'))).toBeInstanceOf(errors.missing);
  });

  it('[MODEL6.2] returns errors that the SDK recognizes', async () => {
    const { url } = await start(WEATHER);
    const fail = (text: string) => failure(open({ url, stream }).say(text));
    const [auth, limited, failed] = [await fail('bad key'), await fail('slow down'), await fail('break')];
    expect(auth).toBeInstanceOf(errors.auth);
    expect(auth).toMatchObject({ status: 401, message: expect.stringContaining('Wrong key.') as unknown });
    expect(limited).toBeInstanceOf(errors.limited);
    expect(limited).toMatchObject({ status: 429 });
    // Google's SDK hides the headers, but its error contains the details.
    const { headers, message } = limited as Error & { headers?: Headers };
    expect(headers?.get('retry-after') ?? /"retryDelay":"(\d+)s"/.exec(message)?.[1]).toBe('7');
    expect(failed).toBeInstanceOf(errors.failed);
    expect(failed).toMatchObject({ status: 500, message: expect.stringContaining('Broken.') as unknown });
  });

  it('[MODEL6.2] drops the connection before or in the middle of an answer, or hangs', async () => {
    const served: ServedRequest[] = [];
    const { url, requests } = await start(WEATHER, { onRequest: (request) => served.push(request) });
    for (const text of ['drop', 'leave']) {
      const error = await failure(open({ url, stream }).say(text));
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toHaveProperty('status', expect.any(Number));
    }
    const hanging = await failure(open({ url, stream, timeoutMs: 200 }).say('hang'));
    expect(String(hanging)).toMatch(/timed out|abort/i);
    expect(requests.map(({ user }) => user)).toEqual(['drop', 'leave', 'hang']);
    expect(served.map(({ status, reply }) => ({ status, reply }))).toEqual([
      { reply: 9 },
      { reply: 10 },
      { reply: 11 },
    ]);
  });

  it('[MODEL6.4] says which request has no reply', async () => {
    const { url } = await start({ replies: [{ when: { user: 'something else' }, text: 'Hello.' }] });
    const error = await failure(open({ url, stream }).say('hello there'));
    expect(error).toMatchObject({ status: 400 });
    expect(String(error)).toMatch(/The script has no reply for turn 1 after \\?"hello there/);
  });

  it('[MODEL6] accepts a function as the script', async () => {
    const { url } = await start(({ user, turn }) => {
      if (user === 'nothing') return undefined;
      if (user === 'invalid') return { texts: 'typo' } as object;
      return turn === 1 ? { calls: [{ name: 'weather', arguments: { user } }] } : `turn ${turn}`;
    });
    const ada = open({ url, stream });
    expect(await ada.say('hi')).toMatchObject({ calls: [{ name: 'weather', arguments: { user: 'hi' } }] });
    expect(await ada.results('ok')).toMatchObject({ text: 'turn 2' });
    expect(await failure(open({ url, stream }).say('nothing'))).toMatchObject({ status: 400 });
    const invalid = await failure(open({ url, stream }).say('invalid'));
    expect(invalid).toMatchObject({ status: 500 });
    expect(String(invalid)).toContain('texts: unknown key.');
  });
});

describe('the scripted model', () => {
  it('[MODEL6.5] lists its models and counts tokens for every SDK', async () => {
    const { url } = await start(WEATHER);
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 });
    const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } });
    const names = ['first-model', 'second-model'];
    expect((await collect(openai.models.list())).map(({ id }) => id)).toEqual(names);
    expect((await collect(anthropic.models.list())).map(({ id }) => id)).toEqual(names);
    const listed = await collect(await google.models.list());
    expect(listed.map(({ name }) => name)).toEqual(names.map((name) => `models/${name}`));
    expect(await openai.models.retrieve('first-model')).toMatchObject({ id: 'first-model' });
    expect(await anthropic.models.retrieve('first-model')).toMatchObject({ id: 'first-model' });
    expect(await google.models.get({ model: 'first-model' })).toMatchObject({ name: 'models/first-model' });
    expect(await failure(openai.models.retrieve('third'))).toBeInstanceOf(OpenAI.NotFoundError);
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const counted = await anthropic.messages.countTokens({ model: 'any', messages });
    expect(counted.input_tokens).toBeGreaterThan(5);
    const { totalTokens = 0 } = await google.models.countTokens({ model: 'any', contents: 'hello' });
    expect(totalTokens).toBeGreaterThan(5);
  });

  it('[MODEL6] with a key in the script, every request with another key gets the vendor’s 401 response', async () => {
    const { url, env } = await start({ apiKey: 'sk-right', replies: ['Hello.'] });
    expect(env).toMatchObject({
      OPENAI_API_KEY: 'sk-right',
      ANTHROPIC_API_KEY: 'sk-right',
      GEMINI_API_KEY: 'sk-right',
    });
    const listed = (apiKey: string) => [
      collect(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }).models.list()),
      collect(new Anthropic({ baseURL: url, apiKey, maxRetries: 0 }).models.list()),
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } }).models.list().then((found) => collect(found)),
    ];
    expect((await Promise.all(listed('sk-right'))).map((found) => found.length)).toEqual([1, 1, 1]);
    const [openai, anthropic, google] = await Promise.all(listed('sk-wrong').map(failure));
    expect(openai).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(anthropic).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(google).toMatchObject({ status: 401 });
    await expect(start({ apiKey: 'two words', replies: ['Hello.'] })).rejects.toThrow('apiKey: must be one word');
  });

  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers });
  const error = async (response: Response) => ({ status: response.status, body: await response.json() });

  it('[MODEL6.4] refuses unknown paths in the format of the vendor', async () => {
    const { url } = await start(WEATHER);
    expect(await error(await post(`${url}/v1/embeddings`, '{}'))).toEqual({
      status: 404,
      body: {
        error: {
          type: 'invalid_request_error',
          code: 'unknown_url',
          param: null,
          message: expect.stringContaining('has no POST /v1/embeddings. It serves') as unknown,
        },
      },
    });
    expect(await error(await fetch(`${url}/v1/messages`))).toMatchObject({
      status: 404,
      body: { type: 'error', error: { type: 'not_found_error' } },
    });
    expect(await error(await post(`${url}/v1beta/models/m:embedContent`, '{}'))).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: 'NOT_FOUND' } },
    });
    expect((await fetch(`${url}//`)).status).toBe(404);
  });

  it('[MODEL6.4] refuses bodies that are not JSON, incomplete or too large', async () => {
    const { url } = await start(WEATHER);
    expect(await error(await post(`${url}/v1/messages`, '{"model":'))).toEqual({
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'The body of the request is not valid JSON.' },
      },
    });
    expect(await error(await post(`${url}/v1/chat/completions`, '{"model":"m"}'))).toMatchObject({
      status: 400,
      body: { error: { message: 'messages: is missing.' } },
    });
    expect(await error(await post(`${url}/v1beta/models/m:generateContent`, '[]'))).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT', message: 'body: must be an object.' } },
    });
    const stored = { model: 'm', input: 'hi', previous_response_id: 'resp_1' };
    expect(await error(await post(`${url}/v1/responses`, JSON.stringify(stored)))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('send the whole conversation in input') as unknown } },
    });
    const large = await post(`${url}/v1/messages`, ' '.repeat(33 * 1024 * 1024));
    expect(await error(large)).toMatchObject({ status: 413, body: { error: { type: 'request_too_large' } } });
    expect((await post(`${url}/v1/chat/completions`, '{"model":"m","messages":[]}')).status).toBe(200);
  });

  it('[MODEL6] accepts any path prefix, and needs no key', async () => {
    const { url } = await start(WEATHER);
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true });
    for (const path of [
      '/chat/completions',
      '/api/v1/chat/completions',
      '/openai/deployments/m/chat/completions?v=1',
    ]) {
      const response = await post(`${url}${path}`, body);
      const text = await response.text();
      expect(response.status).toBe(200);
      expect(text).toContain('"content":"Hello."');
      // Sent only on request: clients read choices[0] of every chunk.
      expect(text).not.toContain('usage');
    }
  });

  it('[MODEL6.2] waits before the answer and between its chunks', async () => {
    const served: ServedRequest[] = [];
    let isServed: () => void = () => undefined;
    const script: ModelScript = {
      replies: [
        { when: { user: 'long' }, delayMs: 3_600_000, text: 'late' },
        { when: { user: 'short' }, delayMs: 30, chunkDelayMs: 1, text: 'a b c' },
        { text: 'one two three', chunkDelayMs: 3_600_000 },
      ],
    };
    const { url } = await start(script, {
      onRequest: (request) => {
        served.push(request);
        isServed();
      },
    });
    const ask = (user: string, signal: AbortSignal) =>
      fetch(`${url}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: user }] }),
        signal,
      });
    const startedAt = performance.now();
    expect(await (await ask('short', AbortSignal.timeout(60_000))).text()).toContain('"text":"c"');
    expect(performance.now() - startedAt).toBeGreaterThan(29);
    const late = new Promise<void>((resolve) => {
      isServed = resolve;
    });
    await expect(ask('long', AbortSignal.timeout(100))).rejects.toThrow('timeout');
    await late;
    const controller = new AbortController();
    const slow = await ask('slow', controller.signal);
    const read = await slow.body?.getReader().read();
    const value = read?.value as Uint8Array | undefined;
    expect(Buffer.from(value ?? []).toString()).toMatch(/^event: message_start\n.*\n\n$/);
    controller.abort();
    expect(served.map(({ reply, status }) => ({ reply, status }))).toEqual([{ reply: 1, status: 200 }, { reply: 0 }]);
  });

  it('[MODEL6] drives Codex: calls tools in a namespace, and custom tools with text', async () => {
    const script: ModelScript = {
      replies: [{ calls: [{ name: 'look' }, { name: 'apply_patch', arguments: '*** Begin Patch' }] }],
    };
    const { url } = await start(script);
    const body = {
      model: 'm',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }],
      tools: [
        { type: 'namespace', name: 'mcp__harbour', tools: [{ type: 'function', name: 'look' }] },
        { type: 'custom', name: 'apply_patch' },
      ],
    };
    const { body: response } = await error(await post(`${url}/v1/responses`, JSON.stringify(body)));
    expect(response).toMatchObject({
      output: [
        { type: 'function_call', name: 'look', namespace: 'mcp__harbour', arguments: '{}' },
        { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
      ],
    });
  });

  it('[MODEL6.1] does not mistake a coding agent’s reminders for user messages', async () => {
    const { url, requests } = await start(WEATHER);
    const reminder = { type: 'text', text: '<system-reminder>Mind the weather.</system-reminder>' };
    const messages = [
      { role: 'user', content: [reminder, { type: 'text', text: 'List the files.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'ls', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a.md' }] }, reminder],
      },
    ];
    await post(`${url}/v1/messages?beta=true`, JSON.stringify({ model: 'm', messages }));
    expect(requests[0]).toMatchObject({ user: 'List the files.', turn: 2, toolResults: ['a.md'] });
  });

  it('[MODEL6] sends arguments that are not JSON unchanged', async () => {
    const { url } = await start({ replies: [{ calls: [{ name: 'weather', arguments: '{"city": "Par' }] }] });
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k' });
    const { choices } = await openai.chat.completions.create({ model: 'm', messages: [] });
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city": "Par' } }]);
  });

  it('[MODEL6] provides the variables for the vendors’ SDKs, and closes hanging connections', async () => {
    const model = await startScriptedModel({ script: { replies: [{ connection: 'hang' }] } });
    expect(model.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(model.env).toMatchObject({
      OPENAI_BASE_URL: `${model.url}/v1`,
      ANTHROPIC_BASE_URL: model.url,
      GOOGLE_GEMINI_BASE_URL: model.url,
    });
    const asking = failure(chatConversation({ url: model.url, stream: true }, OpenAI).say('hi'));
    await expect.poll(() => model.requests.length).toBe(1);
    await model.close();
    expect(await asking).toBeInstanceOf(OpenAI.APIConnectionError);
  });

  it('[MODEL6] reports why it can’t listen', async () => {
    const { url } = await start(WEATHER);
    const again = startScriptedModel({ script: WEATHER, port: Number(new URL(url).port) });
    await expect(again).rejects.toThrow(
      /^Could not listen on 127\.0\.0\.1, port \d+: .*EADDRINUSE.*Choose another port/,
    );
  });
});
