import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { ToolFailure } from '@countersign/core/ports';
import { onlyTo } from '@countersign/tools';
import { addressesOf, type OutboundRoute } from './named-hosts.js';

const TIMEOUT_MS = 10_000;

interface Outgoing {
  headers: OutgoingHttpHeaders;
  body: string | Buffer | null;
  signal: AbortSignal;
}

/** Posts to a URL and resolves to the status. Connects only to addresses that were checked, follows no redirect, and reads nothing of the answer. */
export async function post(url: URL, { headers, body, signal }: Outgoing, route: OutboundRoute): Promise<number> {
  const addresses = await addressesOf(url, route);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
    const outgoing = {
      method: 'POST',
      headers,
      // No shared connection, and no proxy from the environment.
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(route.timeoutMs ?? TIMEOUT_MS)]),
      lookup: onlyTo(addresses),
      ...(route.ca === undefined ? {} : { ca: route.ca }),
    };
    request(url, outgoing, resolve).on('error', reject).end(body);
  });
  response.destroy();
  return response.statusCode ?? 0;
}

/** Without the URL, which some errors quote. Ours name the host. */
export function reasonOf(error: unknown): string {
  if (error instanceof ToolFailure) return error.message;
  if (error instanceof Error && error.name === 'AbortError') return 'no answer in time';
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'unknown';
}
