import type { Provider } from '@countersign/core/ports';
import { providerKindFacts, type ProviderKind } from '@countersign/protocol';

/** A provider that a person configured, with its key. */
export interface ProviderConfig {
  /** The name that agents use. */
  readonly id: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Used instead of a new one. */
  readonly provider?: Provider;
}

/** The base URL to use: the kind's own if none is given, and with the kind's path if it has none. */
export function fullBaseUrl(kind: ProviderKind, given: string | undefined): string {
  const { baseUrl = '', path } = providerKindFacts(kind);
  if (given === undefined) return baseUrl;
  const url = new URL(given);
  if (path !== undefined && url.pathname === '/') url.pathname = path;
  return url.href.replace(/\/+(?=$|\?)/, '');
}
