import { ProviderError } from '@countersign/core/ports';
import { providerKindFacts, type ProviderModel } from '@countersign/protocol';
import { splitQuery } from '../shared/endpoint.js';
import { patientFetch } from '../shared/patient-fetch.js';
import { toProviderError, type Callee } from '../shared/to-provider-error.js';
import { keyHeaders } from './key-headers.js';
import type { ProviderConfig } from './provider-config.js';
import { readModels } from './read-models.js';

/** Models, or `no-list` if the server responds but doesn't list its models. */
export type Listed = { kind: 'models'; models: ProviderModel[] } | { kind: 'no-list' };

/** OpenRouter's list is about 500 KB. */
const MOST_BYTES = 5_000_000;
const MOST_ERROR_BYTES = 64_000;

const PATHS = {
  openai: '/models',
  anthropic: '/v1/models?limit=1000',
  google: '/v1beta/models?pageSize=1000',
} as const;

/** Requests a provider's list of models. Rejects with a `ProviderError`. Never follows redirects, which would leak the key. */
export async function listModels(config: ProviderConfig, signal: AbortSignal): Promise<Listed> {
  const { wire } = providerKindFacts(config.kind);
  const got = await get(config, PATHS[wire], signal);
  if (got.status === 404 || got.status === 405 || got.status === 501) return { kind: 'no-list' };
  return { kind: 'models', models: readModels(wire, okBody(got, config), config.apiKey) };
}

/** OpenRouter returns its models without a key, so the key has to be checked separately. */
export async function checkOpenRouterKey(config: ProviderConfig, signal: AbortSignal): Promise<void> {
  const got = await get(config, '/key', signal);
  // A compatible server at another address may not have this route.
  if (got.status !== 404) okBody(got, config);
}

interface Got {
  status: number;
  headers: Headers;
  text: string;
}

async function get(config: ProviderConfig, path: string, signal: AbortSignal): Promise<Got> {
  try {
    const response = await patientFetch()(urlOf(config.baseUrl, path), {
      headers: keyHeaders(config.kind, config.apiKey),
      signal,
    });
    const text = await readText(response, response.ok ? MOST_BYTES : MOST_ERROR_BYTES);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    if (signal.aborted) throw timedOut(config);
    throw toProviderError(error, calleeOf(config));
  }
}

function okBody({ status, headers, text }: Got, config: ProviderConfig): unknown {
  const body = parse(text);
  if (status >= 400) {
    const error = typeof body === 'object' && body !== null ? body : { message: text };
    throw toProviderError(Object.assign(new Error(`HTTP ${status}`), { status, headers, error }), calleeOf(config));
  }
  if (body !== undefined) return body;
  const { host } = new URL(config.baseUrl);
  throw new ProviderError('bad-request', `${host} did not return JSON. Check the base URL.`, {
    reason: 'wrong-path',
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function readText(response: Response, most: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > most) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function urlOf(base: string, path: string): string {
  const { baseURL, query } = splitQuery(base);
  const url = new URL(`${baseURL.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function calleeOf({ id, baseUrl, apiKey }: ProviderConfig): Callee {
  return { name: id, model: '', address: baseUrl, secrets: apiKey === undefined ? [] : [apiKey] };
}

export function timedOut({ baseUrl }: ProviderConfig): ProviderError {
  return new ProviderError('network', `${new URL(baseUrl).host} did not answer in time`, { reason: 'timeout' });
}
