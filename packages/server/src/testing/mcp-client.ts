/** A message that the gateway sent. */
export interface McpMessage {
  id?: string | number | null;
  method?: string;
  params?: { progress?: number; message?: string };
  result?: { content?: { type: string; text?: string }[]; isError?: boolean; tools?: { name: string }[] };
  error?: { code: number; message: string };
}

interface Sent {
  status: number;
  session: string | null;
  type: string;
  text: string;
  messages: McpMessage[];
}

export interface McpOptions {
  token?: string;
  session?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  onMessage?: (message: McpMessage) => void;
}

/** Sends one message to the gateway, like a client of the protocol from 2025. */
export async function sendMcp(url: string, message: unknown, options: McpOptions = {}): Promise<Sent> {
  const { token, session, headers = {}, signal, onMessage } = options;
  const response = await fetch(url, {
    method: 'POST',
    ...(signal === undefined ? {} : { signal }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const type = response.headers.get('content-type') ?? '';
  const messages: McpMessage[] = [];
  let text = '';
  let rest = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((each) => each.startsWith('data: {'))) {
      const heard = JSON.parse(line.slice('data: '.length)) as McpMessage;
      messages.push(heard);
      onMessage?.(heard);
    }
  }
  if (type.startsWith('application/json') && text !== '') messages.push(JSON.parse(text) as McpMessage);
  return { status: response.status, session: response.headers.get('mcp-session-id'), type, text, messages };
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

export function callOf(name: string, args: unknown, more: { id?: string | number; meta?: object } = {}): unknown {
  const { id = 1, meta } = more;
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}
