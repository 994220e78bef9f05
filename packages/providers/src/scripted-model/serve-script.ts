import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CountersignError, refuseUnknownKeys } from '@countersign/protocol';
import { currentExchange, findReply } from './find-reply.js';
import { findRoute, type Route } from './find-route.js';
import { describeModel, listModels } from './list-models.js';
import { readBody } from './read-body.js';
import { checkReply, checkScript, type CheckedScript } from './script.js';
import { sendJson } from './send-json.js';
import { estimateTokens, sendReply } from './send-reply.js';
import type {
  ReplyFunction,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedModelReply,
  ScriptedModelRequest,
  ServedRequest,
} from './types.js';
import type { Wire } from './wire.js';

const KNOWN: Record<keyof ScriptedModelOptions, true> = {
  script: true,
  port: true,
  host: true,
  name: true,
  onRequest: true,
};
const KEPT_REQUESTS = 1_000;

type Script = CheckedScript | ReplyFunction;

/** An HTTP error from the scripted model itself. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function serveScript(options: ScriptedModelOptions): Promise<ScriptedModel> {
  refuseUnknownKeys(options, KNOWN, 'startScriptedModel');
  const { port = 0, host = '127.0.0.1', name = 'script', onRequest } = options;
  const script: Script = typeof options.script === 'function' ? options.script : checkScript(options.script, name);
  const requests: ScriptedModelRequest[] = [];
  const server = createServer((request, response) => {
    void answer(script, request, response, requests).then((served) => onRequest?.(served));
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'Choose another port or host, or port 0 for any free port.';
    throw new CountersignError('conflict', `Could not listen on ${host}, port ${port}: ${reason}. ${advice}`, {
      cause,
    });
  }
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening}`;
  const key = (typeof script === 'function' ? undefined : script.apiKey) ?? 'scripted';
  return {
    url,
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
    },
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Never rejects: a failure becomes an error in the vendor's format. */
async function answer(
  script: Script,
  request: IncomingMessage,
  response: ServerResponse,
  requests: ScriptedModelRequest[],
): Promise<ServedRequest> {
  const method = request.method ?? 'GET';
  const url = new URL((request.url ?? '/').replace(/^\/+/, '/'), 'http://localhost');
  const served: ServedRequest = { method, path: url.pathname };
  const route = findRoute(method, url, request.headers);
  try {
    return { ...served, ...(await handle({ script, route, request, response, requests, path: url.pathname })) };
  } catch (error) {
    const { status, message, code } = toRefusal(error);
    const body = route.wire.error({ status, message, ...(code === undefined ? {} : { code }) });
    // The rest of a body that is too large is not read, so the connection can't be reused.
    if (!response.headersSent) sendJson(response, status, body, status === 413 ? { connection: 'close' } : {});
    else response.destroy();
    return { ...served, status };
  }
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Refusal(500, `The script failed: ${message}`);
}

interface Handling {
  script: Script;
  route: Route;
  request: IncomingMessage;
  response: ServerResponse;
  requests: ScriptedModelRequest[];
  path: string;
}

async function handle(handling: Handling): Promise<Pick<ServedRequest, 'status' | 'reply' | 'request'>> {
  const { script, route, request, response, path } = handling;
  const { wire } = route;
  checkKey(script, request);
  switch (route.kind) {
    case 'unknown':
      throw new Refusal(404, unknownPath(request.method ?? '', path), notFoundCode(wire));
    case 'models': {
      const models = typeof script === 'function' ? ['scripted'] : script.models;
      if (route.model === undefined) sendJson(response, 200, listModels(wire.name, models));
      else if (models.includes(route.model)) sendJson(response, 200, describeModel(wire.name, route.model));
      else throw new Refusal(404, `The script has no model "${route.model}" in its list of models.`);
      return { status: 200 };
    }
    case 'count': {
      const { text } = await read(request);
      const tokens = estimateTokens(text);
      sendJson(response, 200, wire.name === 'google' ? { totalTokens: tokens } : { input_tokens: tokens });
      return { status: 200 };
    }
    case 'answer':
      return await answerModel(handling, route);
  }
}

/** Like a vendor, checks the key before anything else. */
function checkKey(script: Script, { headers, url = '' }: IncomingMessage): void {
  const wanted = typeof script === 'function' ? undefined : script.apiKey;
  if (wanted === undefined) return;
  const sent = [
    headers.authorization?.replace(/^Bearer /i, ''),
    headers['x-api-key'],
    headers['x-goog-api-key'],
    headers['api-key'],
    new URL(url, 'http://localhost').searchParams.get('key'),
  ];
  if (!sent.includes(wanted)) throw new Refusal(401, 'The API key is not the one in the script.');
}

async function answerModel(
  { script, request, response, requests, path }: Handling,
  { wire, model, stream }: Extract<Route, { kind: 'answer' }>,
): Promise<Pick<ServedRequest, 'status' | 'reply' | 'request'>> {
  const { text, body } = await read(request);
  const conversation = readConversation(wire, body, { model, stream });
  const asked: ScriptedModelRequest = {
    wire: wire.name,
    ...conversation,
    ...currentExchange(conversation.messages),
    headers: request.headers,
    body,
  };
  requests.push(asked);
  if (requests.length > KEPT_REQUESTS) requests.shift();
  const { reply, index } = await choose(script, asked);
  // Equal requests get equal ids, so that tests are reproducible; the next request in a conversation differs.
  const id = createHash('sha256').update(path).update(text).digest('hex').slice(0, 24);
  const head = { id, model: asked.model, created: Math.floor(Date.now() / 1000), body };
  const inputTokens = estimateTokens(text);
  const status = await sendReply(reply, { response, wire, head, stream: asked.stream, inputTokens });
  return {
    request: asked,
    ...(status === undefined ? {} : { status }),
    ...(index === undefined ? {} : { reply: index }),
  };
}

async function read(request: IncomingMessage): Promise<{ text: string; body: unknown }> {
  const text = await readBody(request);
  if (text === undefined) throw new Refusal(413, 'The request is larger than 32 MB.');
  try {
    return { text, body: JSON.parse(text) as unknown };
  } catch {
    throw new Refusal(400, 'The body of the request is not valid JSON.');
  }
}

function readConversation(wire: Wire, body: unknown, inPath: { model: string; stream: boolean }) {
  try {
    return wire.read(body, inPath);
  } catch (error) {
    if (error instanceof CountersignError) throw new Refusal(400, `${error.message}.`);
    throw error;
  }
}

async function choose(
  script: Script,
  request: ScriptedModelRequest,
): Promise<{ reply: ScriptedModelReply; index?: number }> {
  if (typeof script === 'function') {
    const reply = await script(request);
    if (reply === undefined) throw new Refusal(400, noReply(request));
    return { reply: checkReply(reply) };
  }
  const index = findReply(script.replies, request);
  const reply = script.replies[index];
  if (reply === undefined) throw new Refusal(400, noReply(request));
  return { reply, index };
}

function noReply({ user, turn, model }: ScriptedModelRequest): string {
  const shown = user.length > 100 ? `${user.slice(0, 100)}…` : user;
  return `The script has no reply for turn ${turn} after "${shown}" to the model "${model}". Add one, or a last reply without "when".`;
}

function unknownPath(method: string, path: string): string {
  const known = 'POST …/messages, …/chat/completions, …/responses and …:generateContent, and GET …/models';
  return `The scripted model has no ${method} ${path}. It serves ${known}. Check the base URL.`;
}

/** OpenAI's code for an unknown model would be misleading here. */
function notFoundCode({ name }: Wire): string | undefined {
  return name === 'openai-chat' || name === 'openai-responses' ? 'unknown_url' : undefined;
}
