import type { Provider } from '@countersign/core/ports';
import { providerKindFacts, type ProviderKind } from '@countersign/protocol';

/** A provider that a person configured, with its key. */
export interface ProviderConfig {
  /** The name that agents use. */
  readonly id: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** An existing provider to use instead of a new one. */
  readonly provider?: Provider;
}

/** The base URL to use. Defaults to the kind's URL; a URL without a path gets the kind's path. */
export function fullBaseUrl(kind: ProviderKind, given: string | undefined): string {
  const { baseUrl = '', path } = providerKindFacts(kind);
  if (given === undefined) return baseUrl;
  const url = new URL(given);
  if (path !== undefined && url.pathname === '/') url.pathname = path;
  return url.href.replace(/\/+(?=$|\?)/, '');
}
