import { ProviderError } from '@countersign/core/ports';
import { refuseUnknownKeys } from '@countersign/protocol';

/** What a person may say of a provider. What is left out comes from the vendor's usual environment variables. */
export interface ProviderOptions {
  apiKey?: string;
  baseURL?: string;
  /** What agents call it by. Two endpoints of one vendor need two names. */
  name?: string;
  /** Tokens of conversation every model here takes, where the built-in table can't know. */
  contextTokens?: number;
  /** How hard models think before they answer. Left out, that is theirs to choose; one that can't think refuses it. */
  thinking?: Thinking;
  /** How long the server may say nothing. Default: 15 minutes. */
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

/** A misspelt `baseURL` that is ignored would send the key and every message to another server. */
export function checkOptions(options: object, what: string, more: Readonly<Record<string, true>> = {}): void {
  refuseUnknownKeys(options, { ...KNOWN, ...more }, what);
}

export type Thinking = 'low' | 'medium' | 'high';

/** Tokens of thought, for vendors that want a number. */
export const THINKING_TOKENS: Readonly<Record<Thinking, number>> = { low: 2_048, medium: 8_192, high: 24_576 };

/** The first of these variables that says something. Quoting and files leave line ends behind, which no header may carry. */
export function fromEnvironment(...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = process.env[name]?.trim();
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** A key that can be sent. An SDK's own complaint about a bad one would quote it. */
export function readKey(key: string | undefined, missing: string): string {
  const trimmed = key?.trim() ?? '';
  if (trimmed === '') throw new ProviderError('no-key', missing);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new ProviderError('auth', 'the key contains characters that no key has. Copy it again.');
  }
  return trimmed;
}

/** An address that can be called. Credentials in it would end up in error messages, and `fetch` refuses them anyway. */
export function readBaseURL(address: string): string {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    throw new ProviderError('bad-request', 'the base URL is not a URL. It looks like http://127.0.0.1:11434/v1');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ProviderError('bad-request', `the base URL must begin with http:// or https://, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ProviderError('bad-request', 'the base URL contains a password. Give it as the key instead.');
  }
  return address.trim();
}

/** An address as an SDK wants it, and what is asked for in it at every call, such as the `api-version` of Azure. */
export function splitQuery(address: string): { baseURL: string; query: Record<string, string> } {
  const url = new URL(address);
  const query = Object.fromEntries(url.searchParams);
  url.search = '';
  return { baseURL: Object.keys(query).length === 0 ? address : url.href, query };
}

/** Makes something once, at first use. A failure is not kept: the next call may find the key that was missing. */
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
