import { ProviderError } from '@countersign/core/ports';
import { CountersignError, refuseUnknownKeys, type Thinking } from '@countersign/protocol';

/** Provider options. Defaults come from the vendor's environment variables. */
export interface ProviderOptions {
  /** The API key. Default: the vendor's environment variable. */
  apiKey?: string;
  /** The base URL of the API. Default: the vendor's. */
  baseURL?: string;
  /** The name that agents use. Two endpoints from one vendor need two names. */
  name?: string;
  /** The context size for all of this provider's models. Set it for models missing from the built-in table. */
  contextTokens?: number;
  /** Thinking for agents that don't set it. Default: the model's own. Models without thinking reject it. */
  thinking?: Thinking;
  /** Inactivity timeout: how long the server may send no data. Default: 15 minutes. */
  silenceMs?: number;
}

const KNOWN: Record<keyof ProviderOptions, true> = {
  apiKey: true,
  baseURL: true,
  name: true,
  contextTokens: true,
  thinking: true,
  silenceMs: true,
};

/** Rejects unknown options: ignoring a misspelled `baseURL` would send the key and all messages to another server. */
export function checkOptions(options: ProviderOptions, what: string, more: Readonly<Record<string, true>> = {}): void {
  refuseUnknownKeys(options, { ...KNOWN, ...more }, what);
  if (options.baseURL === undefined) return;
  try {
    readBaseURL(options.baseURL);
  } catch (cause) {
    if (!(cause instanceof ProviderError)) throw cause;
    throw new CountersignError('invalid', `${what}: baseURL: ${cause.message}`, { field: 'baseURL', cause });
  }
}

/** The value of the first of these variables that is not blank. Trimmed, because headers must not contain trailing newlines. */
export function fromEnvironment(...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = process.env[name]?.trim();
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Validates a key. The SDK's error message for an invalid key would quote it. */
export function readKey(key: string | undefined, missing: string): string {
  const trimmed = key?.trim() ?? '';
  if (trimmed === '') throw new ProviderError('no-key', missing);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new ProviderError('auth', 'the key contains invalid characters. Copy it again.');
  }
  return trimmed;
}

/** Validates a base URL. Credentials in it would appear in error messages, and `fetch` rejects them anyway. */
export function readBaseURL(address: string): string {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    throw new ProviderError(
      'bad-request',
      'the base URL is invalid. Expected something like http://127.0.0.1:11434/v1',
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ProviderError('bad-request', `the base URL must begin with http:// or https://, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ProviderError('bad-request', 'the base URL contains a password. Set it as the key instead.');
  }
  return address.trim();
}

/** Splits a URL into the base URL for an SDK and its query, such as Azure's `api-version`. */
export function splitQuery(address: string): { baseURL: string; query: Record<string, string> } {
  const url = new URL(address);
  const query = Object.fromEntries(url.searchParams);
  url.search = '';
  return { baseURL: Object.keys(query).length === 0 ? address : url.href, query };
}

/** Creates a value on first use. Failures are not cached: the next call may find the missing key. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
