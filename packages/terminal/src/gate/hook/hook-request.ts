import type { request as HttpsRequest } from 'node:https';
import { openChannel } from '@countersign/server/channel';
import { gateHook as texts } from '../../words/gate.js';

export interface HookRequest {
  readonly method: string;
  readonly token: string;
  /** The body as JSON; empty for none. */
  readonly text: string;
  /** Called when the request has been sent, or has failed. */
  readonly onSent: () => void;
  /** For the whole answer. */
  readonly timeoutMs?: number;
}

export interface HookResponse {
  readonly status: number;
  readonly text: string;
}

/** Longer than the server waits for a decision. A server that hangs, or sends byte by byte, must not keep the agent waiting forever. */
const TIMEOUT_MS = 70_000;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * A request in a channel, in which the server has proved that it knows the token. Loading Node's HTTP client takes longer than the request. In
 * HTTP/1.0, the server sends no chunks and closes the connection after its response.
 */
export async function requestInChannel(to: URL, request: HookRequest): Promise<HookResponse> {
  const head = headOf(to, request);
  const late = new AbortController();
  let stop = (): void => late.abort();
  const timer = setTimeout(() => stop(), request.timeoutMs ?? TIMEOUT_MS);
  try {
    const socket = await openChannel(to, request.token, late.signal);
    return await new Promise((resolve, reject) => {
      stop = () => socket.destroy(new Error(texts.noAnswer));
      let received = Buffer.alloc(0);
      const finish = (isClosed: boolean): void => {
        try {
          const response = readResponse(received, isClosed);
          if (response === undefined) return;
          resolve(response);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        socket.destroy();
      };
      socket.once('error', reject);
      socket.on('data', (part: Buffer) => {
        received = Buffer.concat([received, part]);
        if (received.length > MOST_BYTES) socket.destroy(new Error(texts.longAnswer));
        else finish(false);
      });
      socket.once('close', () => finish(true));
      socket.write(`${head}\r\n\r\n${request.text}`, request.onSent);
    });
  } catch (error) {
    throw late.signal.aborted ? new Error(texts.noAnswer, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** With Node's client for https: the certificate of the server is its proof, whatever the environment says. */
export async function requestWith(request: typeof HttpsRequest, to: URL, sending: HookRequest): Promise<HookResponse> {
  const { method, token, text, onSent, timeoutMs = TIMEOUT_MS } = sending;
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
    };
    const sent = request(to, { method, headers, agent: false, rejectUnauthorized: true }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.once('error', reject);
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes > MOST_BYTES) response.destroy(new Error(texts.longAnswer));
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: String(Buffer.concat(parts)) }));
    });
    const timer = setTimeout(() => {
      reject(new Error(texts.noAnswer));
      sent.destroy();
    }, timeoutMs);
    sent.once('error', reject);
    sent.once('close', () => {
      clearTimeout(timer);
      onSent();
    });
    sent.end(text, onSent);
  });
}

function headOf(to: URL, { method, token, text }: HookRequest): string {
  const lines = [
    `${method} ${to.pathname}${to.search} HTTP/1.0`,
    `host: ${to.host}`,
    `authorization: Bearer ${token}`,
    ...(text === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ];
  if (lines.some((line) => /[\r\n]/.test(line))) throw new Error(texts.badToken);
  return lines.join('\r\n');
}

/** Undefined if more must come. A body without a length ends with the connection. */
function readResponse(received: Buffer, isClosed: boolean): HookResponse | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end >= 0) {
    const { status, length } = readHead(received.subarray(0, end).toString('latin1'));
    const body = received.subarray(end + 4);
    if (body.length > (length ?? MOST_BYTES)) throw new Error(texts.notHttp);
    if (length === undefined ? isClosed : body.length === length) return { status, text: body.toString('utf8') };
  }
  if (isClosed) throw Object.assign(new Error(texts.brokenAnswer), { code: 'ECONNRESET' });
  return undefined;
}

function readHead(text: string): { status: number; length: number | undefined } {
  const [first = '', ...lines] = text.toLowerCase().split('\r\n');
  const status = /^http\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  const lengths = lines.flatMap((line) => /^content-length:[ \t]*(\d{1,9})[ \t]*$/.exec(line)?.[1] ?? []);
  const isOdd = lines.some((line) => line.startsWith('transfer-encoding:')) || lengths.length > 1;
  if (status === undefined || isOdd) throw new Error(texts.notHttp);
  return { status: Number(status), length: status === '204' ? 0 : lengths.map(Number)[0] };
}
