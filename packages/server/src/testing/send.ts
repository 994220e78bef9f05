import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request unchanged: unlike `fetch`, it can send a fake Host and Origin. */
export async function send(url: string, sent: Sent = {}): Promise<Answer> {
  const response = await open(url, sent);
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

/** Like `send`, for a response that doesn't end on its own. */
export async function open(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<IncomingMessage> {
  const asked = request(url, {
    method,
    agent: false,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}
