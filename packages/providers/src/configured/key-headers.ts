import { providerKindFacts, type ProviderKind } from '@countersign/protocol';

/** The headers with the key, as each kind expects them. For Anthropic, they match its SDK: a bearer token and the API version. */
export function keyHeaders(kind: ProviderKind, apiKey: string | undefined): Record<string, string> {
  const { wire } = providerKindFacts(kind);
  const version: Record<string, string> = wire === 'anthropic' ? { 'anthropic-version': '2026-10-21' } : {};
  if (apiKey === undefined) return version;
  if (wire === 'google') return { 'x-goog-api-key': apiKey };
  return kind === 'azure' ? { 'api-key': apiKey } : { ...version, authorization: `Bearer ${apiKey}` };
}
