import type { Vendor } from './types.js';

interface ModelPath {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** Each `name=value` must match one of them. */
  readonly query: readonly RegExp[];
}

const MODEL = '[A-Za-z0-9][A-Za-z0-9._-]*';
const PAGES = [/^(limit|after_id|before_id|pageSize|pageToken)=[\w.-]*$/, /^client_version=[\w.-]+$/, /^beta=true$/];
const models = (prefix: string): ModelPath => ({
  method: 'GET',
  path: new RegExp(`^${prefix}/models(/${MODEL})?$`),
  query: PAGES,
});
const post = (path: string, query: readonly RegExp[] = []): ModelPath => ({
  method: 'POST',
  path: new RegExp(`^${path}$`),
  query,
});

/** All that a run may ask of a vendor, relative to the base URL. Nothing that stores, shares or fetches. */
const PATHS: Readonly<Record<Vendor, readonly ModelPath[]>> = {
  anthropic: [post('/v1/messages', [/^beta=true$/]), post('/v1/messages/count_tokens', [/^beta=true$/]), models('/v1')],
  openai: [post('/responses'), post('/responses/compact'), post('/chat/completions'), models('')],
  gemini: [
    post(`/v1(beta|alpha)?/models/${MODEL}:(generateContent|streamGenerateContent|countTokens)`, [/^alt=sse$/]),
    models('/v1(beta|alpha)?'),
  ],
};

/** The target to ask the vendor for, as it was written; undefined if it is not in the table. */
export function findModelPath(vendor: Vendor, method: string, target: string): string | undefined {
  const [path = '', ...queries] = target.split('?');
  const [query] = queries;
  const isKnown = PATHS[vendor].some(
    (known) =>
      known.method === method &&
      known.path.test(path) &&
      (query === undefined || query.split('&').every((one) => known.query.some((pattern) => pattern.test(one)))),
  );
  return isKnown && queries.length <= 1 ? target : undefined;
}
