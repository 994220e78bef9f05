import type { IncomingMessage, RequestOptions } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { McpRemote } from '@countersign/core/ports';
import { privateText } from '../mcp/transport/refuse-metadata.js';
import { isOwnAddress } from '../web/is-own-address.js';
import { isPublicAddress } from '../web/is-public-address.js';
import { onlyTo, publicNetwork, type Address } from '../web/network.js';

const TIMEOUT_MS = 15_000;
const LARGEST_BODY = 1024 * 1024;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** How private an address is. A server may name only addresses that are at least as public as its own. */
const REACH = { machine: 0, network: 1, internet: 2 } as const;
type Reach = (typeof REACH)[keyof typeof REACH];

function reachOf(address: string): Reach {
  if (loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') || isOwnAddress(address)) return REACH.machine;
  return isPublicAddress(address) ? REACH.internet : REACH.network;
}

/** The URL, if tokens may be sent to it: HTTPS, or plain HTTP on this machine. Throws a `TypeError`, like `fetch`. */
export function secureUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url === undefined) throw new TypeError('the server named an invalid URL for the sign-in');
  const { protocol, username, password } = url;
  if (username !== '' || password !== '') throw new TypeError(`the URL for ${url.host} contains credentials`);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackName(url.hostname))) return url;
  throw new TypeError(`${url.host || 'a URL for the sign-in'} does not use HTTPS`);
}

function isLoopbackName(name: string): boolean {
  const literal = name.replace(/^\[|\]$/g, '');
  return (
    name === 'localhost' || (isIP(literal) !== 0 && loopback.check(literal, isIP(literal) === 6 ? 'ipv6' : 'ipv4'))
  );
}

type Resolve = (host: string) => Promise<readonly Address[]>;

/**
 * A `fetch` for URLs that an untrusted MCP server names (SSRF): HTTPS only, and no address that is more private than the server's own. It
 * connects to the addresses that were checked, follows no redirect, and limits the size and duration of the response.
 */
export function guardedFetch(
  server: string,
  { publicOnly }: Pick<McpRemote, 'publicOnly'> = {},
  resolve: Resolve = publicNetwork.resolve,
): FetchLike {
  let least: Promise<Reach> | undefined;
  const addressesOf = async ({ hostname }: URL): Promise<readonly Address[]> => {
    const literal = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(literal);
    if (family !== 0) return [{ address: literal, family }];
    const found = await resolve(hostname).catch(() => []);
    if (found.length === 0) throw new TypeError(`${hostname} could not be resolved`);
    return found;
  };
  return async (given, init = {}) => {
    const url = secureUrl(given);
    const own = new URL(server);
    // The server's most public address counts: its DNS could add a private one.
    least ??= addressesOf(own).then((found) =>
      found.map(({ address }) => reachOf(address)).reduce(higher, REACH.machine),
    );
    // Awaited together: if both hosts are unknown, a promise that nobody awaits would end the process.
    const [limit, addresses] = await Promise.all([least, addressesOf(url)]);
    const reach = addresses.map(({ address }) => reachOf(address)).reduce(lower, REACH.internet);
    // DNS could also move it to this machine later. Plain HTTP is only for servers whose URL names this machine.
    if (publicOnly === true && reach < REACH.internet) throw new TypeError(privateText(url.host));
    const isMoved = isLoopbackName(url.hostname) && !isLoopbackName(own.hostname);
    if (isMoved || (reach < limit && url.hostname !== own.hostname)) {
      throw new TypeError(`${url.host} is on a private network, but the MCP server is not`);
    }
    return await send(url, addresses, init);
  };
}

const lower = (a: Reach, b: Reach): Reach => (a < b ? a : b);
const higher = (a: Reach, b: Reach): Reach => (a > b ? a : b);

async function send(url: URL, addresses: readonly Address[], init: RequestInit): Promise<Response> {
  const body = typeof init.body === 'string' || init.body instanceof URLSearchParams ? String(init.body) : undefined;
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
    // No shared connection, and no proxy from the environment.
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    lookup: onlyTo(addresses),
  };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
      request(url, options, resolve).on('error', reject).end(body);
    });
    return await toResponse(response);
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
    throw new TypeError(`${url.host} did not answer (${typeof code === 'string' ? code : 'no reason given'})`, {
      cause,
    });
  }
}

async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new TypeError('a response during the sign-in is larger than 1 MB');
    chunks.push(chunk);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const status = incoming.statusCode ?? 500;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers });
}
