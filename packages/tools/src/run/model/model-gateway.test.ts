import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openModelGateway, type ModelGateway } from './serve-models.js';
import type { Vendor } from './types.js';
import { PLACEHOLDER } from './vendors.js';

const KEY = 'sk-real-secret';
const HOST = '127.0.0.2:3129';

interface Got {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('the model gateway of a run', () => {
  let vendor: HttpServer;
  let listener: Server;
  let gateway: ModelGateway;
  let got: Got[];
  let refused: string[];
  let answer: { status: number; headers: Record<string, string>; body: string };

  beforeEach(async () => {
    got = [];
    refused = [];
    answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' };
    vendor = createHttpServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        got.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    }).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    await openFor(false);
  });
  afterEach(() => {
    gateway.close();
    vendor.closeAllConnections();
    vendor.close();
  });

  async function openFor(allowsFetch: boolean): Promise<void> {
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const credential = (header: 'x-api-key' | 'authorization' | 'x-goog-api-key', value = KEY) => ({ header, value });
    gateway = openModelGateway({
      routes: [
        { vendor: 'anthropic', url, credential: credential('x-api-key'), allowsFetch },
        { vendor: 'openai', url: `${url}/v1/`, credential: credential('authorization', `Bearer ${KEY}`), allowsFetch },
        { vendor: 'gemini', url, credential: credential('x-goog-api-key'), allowsFetch },
      ],
      onRefused: (reason) => refused.push(reason),
    });
    listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    gateway.serve(listener);
  }

  /** Sends bytes as they are, and resolves with everything that came back. */
  async function speak(text: string | Buffer): Promise<string> {
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8').on('data', (part: string) => (said += part));
    socket.on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    return said;
  }

  interface Sent {
    method?: string;
    target?: string;
    host?: string;
    headers?: readonly string[];
    body?: string | Buffer;
  }

  function write({
    method = 'POST',
    target = '/anthropic/v1/messages',
    host = HOST,
    headers,
    body = '{}',
  }: Sent): Buffer {
    const own = headers ?? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
    const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...own];
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(method === 'GET' ? '' : body)]);
  }
  const JSON_TYPE = 'Content-Type: application/json';
  const sized = (...headers: string[]): string[] => [JSON_TYPE, 'Content-Length: 2', ...headers];
  const chunked = (...chunks: string[]): Sent => ({
    headers: [JSON_TYPE, 'Transfer-Encoding: chunked'],
    body: chunks.join('\r\n'),
  });

  it.each<[vendor: Vendor, sent: Sent, line: string, credential: Record<string, string>]>([
    ['anthropic', { target: '/anthropic/v1/messages?beta=true' }, 'POST /v1/messages?beta=true', { 'x-api-key': KEY }],
    [
      'anthropic',
      { target: '/anthropic/v1/messages/count_tokens' },
      'POST /v1/messages/count_tokens',
      { 'x-api-key': KEY },
    ],
    [
      'anthropic',
      { method: 'GET', target: '/anthropic/v1/models/claude-x' },
      'GET /v1/models/claude-x',
      { 'x-api-key': KEY },
    ],
    ['openai', { target: '/openai/v1/responses' }, 'POST /v1/responses', { authorization: `Bearer ${KEY}` }],
    [
      'openai',
      { target: '/openai/v1/chat/completions' },
      'POST /v1/chat/completions',
      { authorization: `Bearer ${KEY}` },
    ],
    [
      'openai',
      { method: 'GET', target: '/openai/v1/models?client_version=0.1' },
      'GET /v1/models?client_version=0.1',
      { authorization: `Bearer ${KEY}` },
    ],
    [
      'gemini',
      { target: '/gemini/v1beta/models/g-2.5:streamGenerateContent?alt=sse' },
      'POST /v1beta/models/g-2.5:streamGenerateContent?alt=sse',
      { 'x-goog-api-key': KEY },
    ],
    [
      'anthropic',
      chunked('2;extension=evil', '{}', '0', 'X-Trailer: evil', '', ''),
      'POST /v1/messages',
      { 'x-api-key': KEY },
    ],
  ])('[RUN9] %s: sends its own request with the key of the person (%#)', async (_vendor, sent, line, credential) => {
    const headers = [
      ...(sent.headers ?? sized()),
      ...['x-api-key', 'x-goog-api-key'].map((name) => `${name}: ${PLACEHOLDER}`),
      `Authorization: Bearer ${PLACEHOLDER}`,
      ...[
        'User-Agent: agent/1',
        'anthropic-beta: one',
        'OpenAI-Organization: other',
        'X-Forwarded-Host: evil',
        'X-Other: y',
      ],
    ];
    const said = await speak(write({ ...sent, headers }));
    expect(said).toMatch(/^HTTP\/1.1 200 OK[^]*\{"ok":true\}/);
    expect(said).not.toContain(KEY);
    expect(got.map((one) => one.line)).toEqual([line]);
    const [{ headers: sentHeaders, body } = { headers: {}, body: '' }] = got;
    expect(sentHeaders).toMatchObject({ ...credential, 'user-agent': 'agent/1', 'anthropic-beta': 'one' });
    expect(JSON.stringify(sentHeaders)).not.toMatch(/placeholder|organization|forwarded|x-other|trailer|chunked/i);
    expect(body).toBe(sent.method === 'GET' ? '' : '{}');
  });

  it.each<[name: string, status: number, sent: Sent | string | Buffer]>([
    // Request smuggling.
    ['two lengths', 400, { headers: [JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3'] }],
    [
      'a length and chunks',
      400,
      { headers: [JSON_TYPE, 'Content-Length: 2', 'Transfer-Encoding: chunked'], body: '2\r\n{}\r\n0\r\n\r\n' },
    ],
    ['an unknown transfer encoding', 400, { headers: [JSON_TYPE, 'Transfer-Encoding: xchunked'] }],
    ['chunks of a negative size', 400, chunked('-1', '{}', '0', '', '')],
    ['a header that continues', 400, { headers: [...sized(), 'X-A: b', ' Authorization: Bearer x'] }],
    ['a space before the colon', 400, { headers: [...sized(), 'Authorization : Bearer x'] }],
    ['a zero byte in a header', 400, { headers: sized('X-A: b\0c') }],
    ['only line feeds', 400, `POST /anthropic/v1/files HTTP/1.1\nHost: ${HOST}\n\n`],
    ['heads that are too large', 431, { headers: sized(`X-A: ${'a'.repeat(40_000)}`) }],
    ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'an upgrade to HTTP/2',
      403,
      { headers: sized('Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Connection: Upgrade, HTTP2-Settings') },
    ],
    [
      'a web socket',
      403,
      { method: 'GET', target: '/openai/v1/responses', headers: ['Upgrade: websocket', 'Connection: Upgrade'] },
    ],
    ['an unknown expectation', 417, { headers: sized('Expect: 200-ok') }],
    // Where it goes.
    ['an absolute URL', 404, { target: 'http://evil.example/anthropic/v1/messages' }],
    ['an absolute URL of the gateway', 404, { target: `http://${HOST}/anthropic/v1/messages` }],
    ['another host', 421, { host: 'evil.example' }],
    ['another host with the same address', 421, { host: '127.0.0.2:3129.evil.example' }],
    ['a host with a user', 421, { host: `evil@${HOST}` }],
    ['two hosts', 400, { headers: sized('Host: evil.example') }],
    ['a double slash', 404, { target: '//evil.example/v1/messages' }],
    ['a path outside of a vendor', 404, { target: '/v1/messages' }],
    ['the path of another vendor', 404, { target: '/anthropic/responses' }],
    ['dots', 404, { target: '/anthropic/v1/messages/../files' }],
    ['encoded dots', 404, { target: '/anthropic/v1/%2e%2e/v1/files' }],
    ['an encoded slash', 404, { target: '/anthropic/v1%2fmessages' }],
    ['a matrix parameter', 404, { target: '/anthropic/v1/messages;a=b' }],
    ['a fragment', 404, { target: '/anthropic/v1/messages#a' }],
    ['a backslash', 404, { target: '/anthropic\\v1\\messages' }],
    ['another query', 404, { target: '/anthropic/v1/messages?beta=true&x=y' }],
    ['two queries', 404, { target: '/anthropic/v1/messages?beta=true?beta=true' }],
    ['a key in the query', 404, { target: '/gemini/v1beta/models/g:generateContent?key=other' }],
    ['files of Anthropic', 404, { target: '/anthropic/v1/files' }],
    ['batches of Anthropic', 404, { target: '/anthropic/v1/messages/batches' }],
    ['files of OpenAI', 404, { target: '/openai/v1/files' }],
    ['stored answers of OpenAI', 404, { method: 'GET', target: '/openai/v1/responses/resp_1' }],
    ['uploads to Gemini', 404, { target: '/gemini/upload/v1beta/files' }],
    ['caches of Gemini', 404, { target: '/gemini/v1beta/cachedContents' }],
    ['tuned models of Gemini', 404, { target: '/gemini/v1beta/tunedModels/g:generateContent' }],
    ['a model with a slash', 404, { target: '/gemini/v1beta/models/a/b:generateContent' }],
    ['another method', 404, { method: 'PUT' }],
    ['GET of a path for POST', 404, { method: 'GET' }],
    // Whose key it uses.
    ['another key', 403, { headers: sized('x-api-key: sk-other') }],
    ['another key of another vendor', 403, { headers: sized('x-goog-api-key: other') }],
    ['another token', 403, { headers: sized('Authorization: Bearer other') }],
    [
      'the placeholder and another token',
      403,
      { headers: sized(`Authorization: Bearer ${PLACEHOLDER}, Bearer other`) },
    ],
    ['a basic login', 403, { headers: sized('Authorization: Basic YTpi') }],
    ['two tokens', 400, { headers: sized(`Authorization: Bearer ${PLACEHOLDER}`, 'Authorization: Bearer other') }],
    ['a token for a proxy', 403, { headers: sized('Proxy-Authorization: Basic YTpi') }],
    ['a cookie', 403, { headers: sized('Cookie: session=other') }],
    ['a header of Azure', 403, { headers: sized('api-key: other') }],
    ['a header of AWS', 403, { headers: sized('X-Amz-Security-Token: other') }],
    // What is in the body.
    [
      'a gzip body',
      415,
      {
        headers: [JSON_TYPE, 'Content-Encoding: gzip', `Content-Length: ${gzipSync('{}').length}`],
        body: gzipSync('{}'),
      },
    ],
    ['a body in another encoding', 415, { headers: [JSON_TYPE, 'Content-Encoding: zstd', 'Content-Length: 2'] }],
    ['a form', 415, { headers: ['Content-Type: multipart/form-data; boundary=a', 'Content-Length: 2'] }],
    ['no type', 415, { headers: ['Content-Length: 2'] }],
    ['a body that is no JSON', 400, { body: 'model=x' }],
    ['JSON that is no object', 400, { body: '[]' }],
    ['JSON with something after it', 400, { body: '{}{}' }],
    ['bytes that are no UTF-8', 400, { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }],
    ['UTF-16', 400, { body: Buffer.from('{}', 'utf16le') }],
    ['a very deep body', 400, { body: `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}` }],
  ])('[RUN9] refuses %s', async (_name, status, sent) => {
    const said = await speak(typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : write(sent));
    expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(said).not.toContain(KEY);
    expect(got).toEqual([]);
  });

  it('[RUN9] refuses a body of more than 32 MB, and reads no more of it', async () => {
    const text = `{"a":"${'a'.repeat(33 * 1024 ** 2)}"}`;
    expect(await speak(write({ body: text }))).toMatch(/^(HTTP\/1.1 413 |$)/);
    expect(got).toEqual([]);
    expect(refused).toEqual(['a body that is too large']);
  });

  it('[RUN9] what follows a request on its connection is parsed as a request of its own', async () => {
    const keep = ['Content-Type: application/json', 'Content-Length: 2'];
    const head = ['POST /anthropic/v1/messages HTTP/1.1', `Host: ${HOST}`, ...keep].join('\r\n');
    const said = await speak(`${head}\r\n\r\n{}GET /secret HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    expect(said.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
    expect(got.map(({ line }) => line)).toEqual(['POST /v1/messages']);
  });

  it('[RUN9] rewrites the body: a key that is there twice has the value that was checked', async () => {
    const body = '{"a":{"url":"https://evil.example"},"a":1,"\\u0062":2,"__proto__":{"x":1}}';
    expect(await speak(write({ body }))).toContain('200');
    expect(got[0]?.body).toBe('{"a":1,"b":2,"__proto__":{"x":1}}');
    expect(await speak(write({ body: '{"a":1,"a":{"url":"https://evil.example"}}' }))).toMatch(/^HTTP\/1.1 403/);
  });

  it.each([301, 302, 307, 308])('[RUN9] follows no redirect (%d)', async (status) => {
    answer = { status, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    const said = await speak(write({}));
    expect(said).toMatch(/^HTTP\/1.1 502/);
    expect(said).not.toContain('127.0.0.1:1');
    expect(got).toHaveLength(1);
  });

  it('[RUN9] passes on errors without the key, and no cookie', async () => {
    const headers = { 'content-type': 'application/json', 'set-cookie': 'a=b', 'retry-after': '7', 'x-internal': 'z' };
    answer = { status: 401, headers, body: `{"error":"wrong key ${KEY}"}` };
    const said = await speak(write({}));
    expect(said).toMatch(/^HTTP\/1.1 401[^]*retry-after: 7[^]*wrong key placeholder/);
    expect(said).not.toMatch(/set-cookie|x-internal|sk-real/);
  });

  it('[RUN9] a vendor that can’t be reached is an error, and the next request works', async () => {
    vendor.closeAllConnections();
    const { port } = vendor.address() as AddressInfo;
    vendor.close();
    await once(vendor, 'close');
    expect(await speak(write({}))).toMatch(/^HTTP\/1.1 502/);
    vendor.listen(port, '127.0.0.1');
    await once(vendor, 'listening');
    expect(await speak(write({}))).toMatch(/^HTTP\/1.1 200/);
  });

  const image = (source: unknown) => ({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
  const parts = (...content: unknown[]) => ({ input: [{ role: 'user', content }] });
  const chat = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
  const contents = (...all: unknown[]) => ({ contents: [{ parts: all }] });
  const target: Readonly<Record<string, string>> = {
    anthropic: '/anthropic/v1/messages',
    openai: '/openai/v1/responses',
    chat: '/openai/v1/chat/completions',
    gemini: '/gemini/v1beta/models/g:generateContent',
  };
  const URL_ = 'https://evil.example/?secret';
  const FETCHING: [string, object][] = [
    ['anthropic', image({ type: 'url', url: URL_ })],
    ['anthropic', image({ type: 'url', URL: URL_ })],
    [
      'anthropic',
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'ftp://x' } }] }] },
    ],
    [
      'anthropic',
      {
        messages: [
          { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'image', source: { url: URL_ } }] }] },
        ],
      },
    ],
    ['anthropic', { mcp_servers: [{ type: 'url', url: URL_, name: 'x' }] }],
    ['anthropic', { MCP_Servers: [{ name: 'x' }] }],
    ['anthropic', { container: { skills: [{ skill_id: 'x' }] } }],
    ['anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['anthropic', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['anthropic', { tools: [{ type: 'code_execution_20250825', name: 'code' }] }],
    ['anthropic', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }],
    ['anthropic', { tools: [{ type: 'something_new', name: 'x' }] }],
    ['anthropic', { tools: [{ type: ['web_search_20250305'], name: 'x' }] }],
    [
      'anthropic',
      { type: 'tool_use', messages: [{ role: 'user', content: [{ type: 'image', source: { url: URL_ } }] }] },
    ],
    ['openai', parts({ type: 'input_image', image_url: URL_ })],
    ['openai', parts({ type: 'input_file', file_url: URL_ })],
    ['openai', { ...parts({ type: 'input_image', image_url: URL_ }), type: 'tool_use' }],
    [
      'openai',
      { input: [{ type: 'function_call_output', call_id: '1', output: [{ type: 'input_image', image_url: URL_ }] }] },
    ],
    ['openai', { tools: [{ type: 'web_search' }] }],
    ['openai', { tools: [{ type: 'web_search_preview' }] }],
    ['openai', { tools: [{ type: 'mcp', server_label: 'x', server_url: URL_ }] }],
    ['openai', { tools: [{ type: 'mcp', server_label: 'x', connector_id: 'connector_gmail' }] }],
    ['openai', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['openai', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
    ['openai', { tools: [{ type: 'shell' }] }],
    ['openai', { tools: [{ type: 'namespace', name: 'x', tools: [{ type: 'web_search' }] }] }],
    ['openai', { input: [{ type: 'tool_search_output', tools: [{ type: 'web_search' }] }] }],
    ['openai', { tools: { type: 'web_search' } }],
    ['openai', { prompt: { id: 'pmpt_1' } }],
    ['openai', { model: 'o4-mini-deep-research' }],
    ['chat', chat({ type: 'image_url', image_url: { url: URL_ } })],
    ['chat', chat({ type: 'image_url', image_url: { url: 'DATA-not:x' } })],
    ['chat', { web_search_options: {} }],
    ['chat', { model: 'gpt-4o-search-preview' }],
    ['chat', { model: 'some/model:online' }],
    ['chat', { plugins: [{ id: 'web' }] }],
    ['gemini', contents({ fileData: { fileUri: URL_ } })],
    ['gemini', contents({ file_data: { file_uri: URL_ } })],
    ['gemini', contents({ functionResponse: { name: 'x', response: {}, parts: [{ fileData: { fileUri: URL_ } }] } })],
    ['gemini', { systemInstruction: { parts: [{ fileData: { fileUri: URL_ } }] } }],
    ['gemini', { tools: [{ googleSearch: {} }] }],
    ['gemini', { tools: [{ urlContext: {} }] }],
    ['gemini', { tools: [{ url_context: {} }] }],
    ['gemini', { tools: [{ functionDeclarations: [], googleSearch: {} }] }],
    ['gemini', { tools: [{ codeExecution: {} }] }],
    ['gemini', { tools: [{ mcpServers: [] }] }],
    ['gemini', { tools: { googleSearch: {} } }],
    ['gemini', { cachedContent: 'cachedContents/x' }],
  ];
  const send = async (wire: string, body: object): Promise<string> =>
    await speak(write({ target: target[wire] ?? '', body: JSON.stringify(body) }));

  it.each(FETCHING)('[RUN10] %s: refuses a body that makes the vendor fetch something: %j', async (wire, body) => {
    expect(await send(wire, body)).toMatch(/^HTTP\/1.1 403/);
    expect(got).toEqual([]);
    expect(refused).toHaveLength(1);
  });

  it('[RUN10] with --allow-fetch, such bodies are forwarded', async () => {
    gateway.close();
    await openFor(true);
    for (const [wire, body] of FETCHING) expect(await send(wire, body)).toMatch(/^HTTP\/1.1 200/);
    expect(got).toHaveLength(FETCHING.length);
  });

  const schema = { type: 'object', properties: { url: { type: 'string' }, image_url: { const: URL_ } } };
  it.each<[string, object]>([
    [
      'anthropic',
      {
        system: `see ${URL_}`,
        tools: [
          { name: 'fetch', input_schema: schema },
          { type: 'bash_20250124', name: 'bash' },
        ],
      },
    ],
    ['anthropic', image({ type: 'base64', media_type: 'image/png', data: 'AAAA' })],
    [
      'anthropic',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'fetch', input: { url: URL_ } }] },
        ],
      },
    ],
    ['anthropic', { output_config: { format: { type: 'json_schema', schema } }, mcp_servers: [] }],
    [
      'openai',
      {
        input: [{ type: 'function_call', name: 'x', arguments: `{"url":"${URL_}"}` }],
        tools: [{ type: 'function', name: 'x', parameters: schema }],
      },
    ],
    [
      'openai',
      {
        ...parts({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }),
        text: { format: { type: 'json_schema', name: 'x', schema } },
      },
    ],
    [
      'openai',
      {
        tools: [{ type: 'custom', name: 'apply_patch' }, { type: 'local_shell' }],
        prompt_cache_key: 'x',
        prompt: null,
      },
    ],
    [
      'chat',
      {
        ...chat({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }),
        tools: [{ type: 'function', function: { name: 'x', parameters: schema } }],
      },
    ],
    [
      'gemini',
      {
        ...contents(
          { functionCall: { name: 'x', args: { url: URL_ } } },
          { functionResponse: { name: 'x', response: { url: URL_ } } },
        ),
        tools: [{ functionDeclarations: [{ name: 'x', parametersJsonSchema: schema }] }],
      },
    ],
    ['gemini', { ...contents({ inlineData: { data: 'AAAA' } }), generationConfig: { responseJsonSchema: schema } }],
  ])('[RUN10] %s: forwards what only the model reads: %j', async (wire, body) => {
    expect(await send(wire, body)).toMatch(/^HTTP\/1.1 200/);
    expect(JSON.parse(got[0]?.body ?? '')).toEqual(body);
  });
});
