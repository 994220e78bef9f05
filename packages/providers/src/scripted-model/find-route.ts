import type { IncomingHttpHeaders } from 'node:http';
import { anthropicWire } from './anthropic-wire.js';
import { chatWire } from './chat-wire.js';
import { googleWire } from './google-wire.js';
import { responsesWire } from './responses-wire.js';
import type { Wire } from './wire.js';

/** The kind of request. `wire` determines the format of the response, including errors. */
export type Route = { wire: Wire } & (
  | { kind: 'answer'; model: string; stream: boolean }
  | { kind: 'count' }
  | { kind: 'models'; model?: string }
  | { kind: 'unknown' }
);

/** Any path prefix is accepted, because base URLs differ: `/v1`, `/api/v1`, none. */
const POSTS: readonly (readonly [RegExp, Route])[] = [
  [/\/messages$/, { kind: 'answer', wire: anthropicWire, model: '', stream: false }],
  [/\/messages\/count_tokens$/, { kind: 'count', wire: anthropicWire }],
  [/\/chat\/completions$/, { kind: 'answer', wire: chatWire, model: '', stream: false }],
  [/\/responses$/, { kind: 'answer', wire: responsesWire, model: '', stream: false }],
];
const GENERATE = /\/models\/(?<model>[^/]+):(?<verb>generateContent|streamGenerateContent|countTokens)$/;
const MODELS = /\/models(?:\/(?<model>.+))?$/;

export function findRoute(method: string, url: URL, headers: IncomingHttpHeaders): Route {
  const { pathname, searchParams } = url;
  const unknown: Route = { kind: 'unknown', wire: guessWire(pathname, headers) };
  if (method === 'GET') {
    const found = MODELS.exec(pathname);
    if (found === null) return unknown;
    const model = found.groups?.['model'];
    return { kind: 'models', wire: unknown.wire, ...(model === undefined ? {} : { model: decoded(model) }) };
  }
  if (method !== 'POST') return unknown;
  const { model = '', verb } = GENERATE.exec(pathname)?.groups ?? {};
  if (verb === undefined) return POSTS.find(([path]) => path.test(pathname))?.[1] ?? unknown;
  if (verb === 'countTokens') return { kind: 'count', wire: googleWire };
  const stream = verb === 'streamGenerateContent';
  if (stream && searchParams.get('alt') !== 'sse') return unknown;
  return { kind: 'answer', wire: googleWire, model: decoded(model), stream };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function guessWire(path: string, headers: IncomingHttpHeaders): Wire {
  if (path.includes('/v1beta') || headers['x-goog-api-key'] !== undefined) return googleWire;
  if (path.includes('/messages') || headers['anthropic-version'] !== undefined) return anthropicWire;
  return chatWire;
}
