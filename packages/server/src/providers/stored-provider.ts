import type { Provider, ProviderRecord } from '@countersign/core/ports';
import { providerKindFacts, providerKindSchema, type ProviderKind, type ProviderStatus } from '@countersign/protocol';
import { fullBaseUrl, makeProvider, type ProviderConfig } from '@countersign/providers';
import { seal, unseal } from './seal.js';
import type { SecretsKey } from './secrets-key.js';

/** A provider from the store, ready to use. */
export interface StoredProvider {
  readonly record: ProviderRecord;
  readonly status: ProviderStatus;
  readonly provider: Provider;
  /** Absent if the provider can't be used; `status.problem` says why. */
  readonly config?: ProviderConfig;
}

/** Never throws: a provider that can't be used explains why when it is called. */
export function openStored(record: ProviderRecord, secrets: SecretsKey): StoredProvider {
  const { id, name, baseUrl } = record;
  const common = { id, name, source: 'stored' as const, hasKey: record.apiKey !== null };
  const known = providerKindSchema.safeParse(record.kind);
  if (!known.success) {
    const problem = `this version doesn't support the kind "${record.kind}"`;
    return { record, provider: broken(id, problem), status: { ...common, available: false, problem } };
  }
  const kind = known.data;
  if (!hasUsableUrl(kind, baseUrl)) {
    const problem = 'its URL is invalid. Enter its kind, URL and API key again';
    return { record, provider: broken(id, problem), status: { ...common, kind, available: false, problem } };
  }
  const shown = { ...common, kind, baseUrl: fullBaseUrl(kind, baseUrl ?? undefined) };
  const key = readKey(record, kind, secrets);
  if (!key.ok) {
    const status = { ...shown, available: false, problem: key.problem };
    return { record, provider: broken(id, key.problem), status };
  }
  const config = { id, kind, baseUrl: shown.baseUrl, apiKey: key.value };
  const available = key.value !== undefined || providerKindFacts(kind).key === 'optional';
  return { record, provider: makeProvider(config), status: { ...shown, available }, config };
}

type Key = { ok: true; value: string | undefined } | { ok: false; problem: string };

function readKey({ id, apiKey, baseUrl }: ProviderRecord, kind: ProviderKind, secrets: SecretsKey): Key {
  if (apiKey === null) return { ok: true, value: undefined };
  try {
    const opened = unseal(secrets.get(), apiKey, purposeOf(id, kind, baseUrl));
    if (opened.ok) return opened;
    return { ok: false, problem: opened.why === 'other-key' ? OTHER_KEY : DAMAGED };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

const OTHER_KEY =
  'its API key was encrypted with another secrets key. Enter its kind, URL and API key again; servers that share a database need the same COUNTERSIGN_SECRETS_KEY';
const DAMAGED = "its API key can't be decrypted, because its record was changed. Enter its kind, URL and API key again";

function hasUsableUrl(kind: ProviderKind, baseUrl: string | null): boolean {
  try {
    return /^https?:$/.test(new URL(fullBaseUrl(kind, baseUrl ?? undefined)).protocol);
  } catch {
    return false;
  }
}

/**
 * Whether the record is unchanged since Countersign wrote it: only then can its key be decrypted. Otherwise, someone who can write to the
 * database may have chosen the URL.
 */
export function isIntact(record: ProviderRecord, secrets: SecretsKey): boolean {
  const kind = providerKindSchema.safeParse(record.kind);
  if (!kind.success || record.apiKey === null || !hasUsableUrl(kind.data, record.baseUrl)) return false;
  return readKey(record, kind.data, secrets).ok;
}

/** The kind and origin are included: someone who changes them in the database must not receive the key. */
function purposeOf(id: string, kind: ProviderKind, baseUrl: string | null): string[] {
  return [id, kind, originOf(kind, baseUrl)];
}

export function originOf(kind: ProviderKind, baseUrl: string | null): string {
  return new URL(fullBaseUrl(kind, baseUrl ?? undefined)).origin;
}

export function sealKey(
  secrets: SecretsKey,
  apiKey: string,
  { id, kind, baseUrl }: { id: string; kind: ProviderKind; baseUrl: string | null },
): string {
  return seal(secrets.get(), apiKey, purposeOf(id, kind, baseUrl));
}

function broken(name: string, problem: string): Provider {
  return { name, generate: () => Promise.reject(new Error(`the provider "${name}" can't be used: ${problem}`)) };
}
