import { connect, type Socket } from 'node:net';
import type * as Tls from 'node:tls';
import { CHANNEL_TARGET, CHANNEL_TLS, keyOfSecret, splitToken, TOKEN_ID_HEADER } from './channel-key.js';

/**
 * Nothing was sent. `unproven`: whatever listens there doesn't know our token. `closed`: it ended the connection before it proved anything, as a
 * server that is being restarted does.
 */
export class ChannelError extends Error {
  readonly kind: 'unproven' | 'closed';
  /** The origin of the server. */
  readonly at: string;

  constructor(kind: ChannelError['kind'], at: string, cause?: unknown) {
    super(kind === 'unproven' ? 'the server did not prove that it knows the token' : 'the connection was closed', {
      cause,
    });
    this.kind = kind;
    this.at = at;
  }
}

const HANDSHAKE_MS = 10_000;
const LONGEST_HEAD = 4096;

/**
 * A connection on which the server has proved that it knows our token, and which nobody in between can read or change. The token itself and the
 * requests are sent only inside it. Rejects with a `ChannelError`, or with the error of the connection.
 */
export async function openChannel(to: URL, token: string, signal?: AbortSignal): Promise<Tls.TLSSocket> {
  if (to.hostname !== 'localhost') return await openAt(to, to.hostname.replace(/^\[(.*)\]$/, '$1'), { token, signal });
  try {
    return await openAt(to, '127.0.0.1', { token, signal });
  } catch (error) {
    // The server may listen on ::1 only. Not looked up, which would take longer than the connection.
    if (codeOf(error) !== 'ECONNREFUSED') throw error;
    return await openAt(to, '::1', { token, signal });
  }
}

async function openAt(
  to: URL,
  host: string,
  { token, signal }: { token: string; signal: AbortSignal | undefined },
): Promise<Tls.TLSSocket> {
  signal?.throwIfAborted();
  const socket = connect({ host, port: Number(to.port === '' ? 80 : to.port), noDelay: true });
  const stop = (): void => void socket.destroy(closed());
  const timer = setTimeout(stop, HANDSHAKE_MS);
  signal?.addEventListener('abort', stop);
  let isConnected = false;
  socket.once('connect', () => (isConnected = true));
  try {
    const { id, secret } = splitToken(token);
    const answered = readHead(socket);
    socket.write(`CONNECT ${CHANNEL_TARGET} HTTP/1.1\r\nhost: ${to.host}\r\n${TOKEN_ID_HEADER}: ${id}\r\n\r\n`);
    // While the server answers.
    const key = keyOfSecret(secret);
    const tls = process.getBuiltinModule('node:tls');
    const head = await answered;
    if (head.startsWith('HTTP/1.1 503 ')) throw closed();
    // Our server sends nothing more until the handshake begins.
    if (!/^HTTP\/1\.1 200 [^]*\r\n\r\n$/.test(head)) throw new Error(head);
    return await prove(tls, socket, { psk: key, identity: id });
  } catch (error) {
    socket.destroy();
    if (!isConnected) throw error;
    throw new ChannelError(codeOf(error) === RESET ? 'closed' : 'unproven', to.origin, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** The answer to CONNECT, up to its empty line. */
async function readHead(socket: Socket): Promise<string> {
  return await new Promise((resolve, reject) => {
    let head = '';
    const read = (part: Buffer): void => {
      head += part.toString('latin1');
      if (head.length < LONGEST_HEAD && !head.includes('\r\n\r\n')) return;
      socket.off('data', read);
      resolve(head);
    };
    socket.on('data', read);
    socket.once('close', () => reject(closed()));
    socket.on('error', reject);
  });
}

async function prove(tls: typeof Tls, socket: Socket, key: { psk: Buffer; identity: string }): Promise<Tls.TLSSocket> {
  return await new Promise((resolve, reject) => {
    const secure = tls.connect({
      ...CHANNEL_TLS,
      socket,
      pskCallback: () => key,
      // No certificate proves anything here. With our key, the server sends none.
      rejectUnauthorized: true,
      checkServerIdentity: () => new Error('a certificate'),
    });
    secure.once('close', () => reject(closed()));
    secure.on('error', reject);
    secure.once('secureConnect', () => {
      // A pre-shared key counts as a resumed session.
      if (secure.isSessionReused()) resolve(secure);
      else secure.destroy(new Error('no pre-shared key'));
    });
  });
}

const RESET = 'ECONNRESET';
const closed = (): Error => Object.assign(new Error('closed'), { code: RESET });

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
