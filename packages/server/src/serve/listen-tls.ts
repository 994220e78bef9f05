import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, createServer } from 'node:tls';
import { CountersignError } from '@countersign/protocol';
import { inBrackets } from '../auth/check-host.js';
import { limitUnauthenticated, type UnauthenticatedLimits } from './limit-unauthenticated.js';
import { listenOn } from './listen-on.js';

/** Files in PEM format, and where to listen. The first certificate is the server's own. */
export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  /** 0 means any free port. */
  readonly port?: number | undefined;
}

const DEFAULT_TLS_PORT = 4748;

/** An https listener for other machines (TERM1.6), in front of a server that listens only on this one. */
export interface TlsListener {
  /** For people: the first name in the certificate, and the port. */
  readonly url: string;
  /** Until then, connections are refused. */
  open(): void;
  close(): void;
}

/** How often it looks for renewed files. */
const LOOK_AGAIN_MS = 60_000;

/** Passes decrypted connections on to `server`. Throws a sentence if the files can't be used. */
export async function listenTls(
  server: Server,
  files: TlsOptions,
  { limits, onProblem }: { limits: UnauthenticatedLimits; onProblem: (detail: string) => void },
): Promise<TlsListener> {
  const { name, ...first } = readTls(files);
  let isOpen = false;
  const handshaking = new Map<string, Socket>();
  const listener = createServer({ ...first, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs });
  const onHandshaken = limitUnauthenticated(listener, limits.most);
  listener.on('connection', (socket: Socket) => {
    const id = peerOf(socket);
    handshaking.set(id, socket);
    socket.once('close', () => handshaking.delete(id));
  });
  listener.on('secureConnection', (socket) => {
    const below = handshaking.get(peerOf(socket));
    if (below !== undefined) onHandshaken(below);
    if (isOpen) server.emit('connection', socket);
    else socket.destroy();
  });
  const at = await listenOn(listener, files.port ?? DEFAULT_TLS_PORT, files.host);
  let seen = changedAt(files);
  const looking = setInterval(() => {
    const now = changedAt(files);
    if (now === seen) return;
    seen = now;
    try {
      listener.setSecureContext(readTls(files));
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  }, LOOK_AGAIN_MS);
  looking.unref();
  return {
    url: `https://${inBrackets(name)}${at === 443 ? '' : `:${at}`}`,
    open: () => void (isOpen = true),
    close() {
      clearInterval(looking);
      listener.close();
    },
  };
}

function readTls(files: TlsOptions): { cert: Buffer; key: Buffer; name: string } {
  const cert = read(files.cert);
  const key = read(files.key);
  try {
    createSecureContext({ cert, key });
    const { subjectAltName = '' } = new X509Certificate(cert);
    const name = /(?:^|, )(?:DNS|IP Address):([^*,\s]+)/.exec(subjectAltName)?.[1];
    if (name === undefined) throw new Error('the certificate names no host');
    return { cert, key, name };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unusable(
      `${files.cert} and ${files.key} are no certificate and its private key in PEM format: ${why}`,
      cause,
    );
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw unusable(`${file} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function unusable(detail: string, cause: unknown): CountersignError {
  return new CountersignError('invalid', `--tls: ${detail}`, { field: 'tls', cause });
}

/** Undefined while a file is being replaced. */
function changedAt({ cert, key }: TlsOptions): string | undefined {
  const [certStats, keyStats] = [cert, key].map((file) => statSync(file, { throwIfNoEntry: false }));
  return certStats && keyStats && `${certStats.mtimeMs} ${keyStats.mtimeMs}`;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
