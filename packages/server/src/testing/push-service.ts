import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { NewPush } from '@countersign/protocol';
import { publicNetwork } from '@countersign/tools';
import type { Notice } from '../push/compose-notice.js';
import type { PushRoute } from '../push/send-push.js';
import { listenOn } from '../serve/listen-on.js';
import { until } from './app-fixture.js';

/** A message as a device gets it. */
interface Delivered {
  notice: Notice;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** When it came. */
  at: number;
}

export interface PushService {
  readonly host: string;
  /** For an app that may send here. */
  readonly route: PushRoute;
  /** Decrypted, oldest first. */
  readonly delivered: readonly Delivered[];
  /** How many requests came, whatever was answered. */
  asked(): number;
  /** Later requests get this answer. */
  answer(status: number, headers?: Record<string, string>): void;
  /** A new device, like `PushSubscription.toJSON()` in a browser. */
  device(name?: string): NewPush;
  /** Waits until this many messages were delivered, and returns the last one. */
  last(count: number): Promise<Notice>;
  close(): void;
}

/** A push service at a local address, with devices that decrypt what they get (RFC 8291). */
export async function openPushService(): Promise<PushService> {
  const devices = new Map<string, (body: Buffer) => string>();
  const delivered: Delivered[] = [];
  let asked = 0;
  let answer: { status: number; headers: Record<string, string> } = { status: 201, headers: {} };
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    const { url: path = '', headers } = request;
    asked += 1;
    const at = Date.now();
    void buffer(request).then((body) => {
      const open = devices.get(path);
      if (answer.status === 201 && open !== undefined)
        delivered.push({ notice: JSON.parse(open(body)) as Notice, path, headers, at });
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  const host = `127.0.0.1:${await listenOn(server, 0, '127.0.0.1')}`;
  return {
    host,
    route: { named: [host], subject: 'https://countersign.example', network: publicNetwork, ca: CERTIFICATE },
    delivered,
    asked: () => asked,
    answer(status, headers = {}) {
      answer = { status, headers };
    },
    device(name = randomBytes(8).toString('hex')) {
      const pair = createECDH('prime256v1');
      const publicKey = pair.generateKeys();
      const auth = randomBytes(16);
      devices.set(`/send/${name}`, (body) => decrypt(body, { pair, publicKey, auth }));
      const keys = { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') };
      return { endpoint: `https://${host}/send/${name}`, keys };
    },
    async last(count) {
      const found = await until(async () => delivered[count - 1], `${count} messages were delivered`, 10_000);
      return found.notice;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** `aes128gcm` with one record (RFC 8188): salt, record size, the sender's key, text. */
function decrypt(
  body: Buffer,
  { pair, publicKey, auth }: { pair: ReturnType<typeof createECDH>; publicKey: Buffer; auth: Buffer },
): string {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + (body[20] ?? 0));
  const text = body.subarray(21 + sender.length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
  const secret = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32));
  const derive = (what: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${what}\0`, length));
  const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  cipher.setAuthTag(text.subarray(-16));
  const plain = Buffer.concat([cipher.update(text.subarray(0, -16)), cipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}

/** Of localhost and 127.0.0.1, for tests only. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglbPdUfF2Gi5+CxCI
LzFrMBsdVLplnPURGiYZV1Xe+CChRANCAARA5Uibk6O5F9kwMs9vadl2DO0Eqa7/
3g/6yFaSyd7mxkKDSUHlU2ZTW8bHc16IiHLFqWfpddBU3upt92C8yI+i
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUYu5/R8LnaQ1dTZx15G6Z6909rSIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExOTEzMzcwMloYDzIxMjYxMDI2
MTMzNzAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARA5Uibk6O5F9kwMs9vadl2DO0Eqa7/3g/6yFaSyd7mxkKDSUHlU2ZT
W8bHc16IiHLFqWfpddBU3upt92C8yI+io28wbTAdBgNVHQ4EFgQUCWKO87iADPyK
l+d/Mp1ga05up7UwHwYDVR0jBBgwFoAUCWKO87iADPyKl+d/Mp1ga05up7UwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgFIc+u+qwbZ4ARRllzOjLanziRdMV9Qw6PkFmtT6GLAsCIQD1
jyG6GE1DLv8tu3LqfDxdMu5nRlhD2JLgoIeFdCA28g==
-----END CERTIFICATE-----`;
