import { agentsUsing, changeProviders, freeId, type Runtime } from '@countersign/core';
import {
  isLikelySecret,
  ProviderError,
  type Provider,
  type ProviderRecord,
  type ProviderSource,
  type Store,
} from '@countersign/core/ports';
import {
  ACP_PROVIDER,
  EXTERNAL_PROVIDER,
  CountersignError,
  nearest,
  providerKindFacts,
  providerKindSchema,
  slug,
  type NewProvider,
  type ProviderChange,
  type ProviderModels,
  type ProviderStatus,
  type ProviderTest,
  type Signer,
} from '@countersign/protocol';
import { explainFailure, listModels, testProvider, type ProviderConfig } from '@countersign/providers';
import type { FoundProviders } from '../home/find-providers.js';
import type { SecretsKey } from './secrets-key.js';
import { isIntact, openStored, originOf, sealKey, type StoredProvider } from './stored-provider.js';

/** All of a server's providers: from the store, from the environment, and built in (HTTP4). */
export interface ProviderRegistry extends ProviderSource {
  list(): Promise<ProviderStatus[]>;
  add(runtime: Runtime, provider: NewProvider, signer: Signer): Promise<ProviderStatus>;
  change(runtime: Runtime, id: string, change: ProviderChange, signer: Signer): Promise<ProviderStatus>;
  /** Rejects the removal of a provider that agents use, unless forced. */
  remove(runtime: Runtime, id: string, isForced: boolean, signer: Signer): Promise<void>;
  test(id: string, model: string | undefined): Promise<ProviderTest>;
  /** `waitMs`: how long the provider may take. */
  models(id: string, waitMs?: number): Promise<ProviderModels>;
}

export interface RegistryOptions {
  store: Pick<Store, 'read'>;
  secrets: SecretsKey;
  /** Providers from the environment, if any. */
  found?: FoundProviders;
  /** Providers added by the program that runs the server. */
  own: readonly Provider[];
  timeoutMs?: number;
}

/** How long a provider may take to list its models. */
const LIST_MS = 15_000;
/** An agent's `provider` can have 100 characters, and an id may get a suffix. */
const LONGEST_ID = 64;
const MOST_NAMED = 5;

export function createRegistry({ store, secrets, found, own, timeoutMs }: RegistryOptions): ProviderRegistry {
  let stored = new Map<string, StoredProvider>();
  let loading: Promise<void> = Promise.resolve();

  async function loadNow(): Promise<void> {
    const records = await store.read((reader) => reader.providers());
    const entries = records.map((record) => {
      const known = stored.get(record.id);
      const isSame = known !== undefined && JSON.stringify(known.record) === JSON.stringify(record);
      // Retry a provider that failed: the person may have repaired the secrets key.
      return isSame && known.config !== undefined ? known : openStored(record, secrets);
    });
    stored = new Map(entries.map((entry) => [entry.record.id, entry]));
  }
  /** Runs one load at a time: an older read must not overwrite a newer one. */
  function load(): Promise<void> {
    const next = loading.then(loadNow);
    loading = next.catch(() => undefined);
    return next;
  }

  async function others(): Promise<ProviderStatus[]> {
    const status = (await found?.status()) ?? [];
    const names = new Set(status.map(({ id }) => id));
    const built = own.filter(({ name }) => !names.has(name)).map(({ name }) => builtIn(name));
    return [...status, ...built].filter(({ id }) => !stored.has(id));
  }
  /** Ids and names of providers that a stored one must not replace. */
  function reserved(): string[] {
    return [EXTERNAL_PROVIDER, ACP_PROVIDER, ...(found?.configured ?? []), ...own.map(({ name }) => name)];
  }
  function known(id: string): StoredProvider {
    const entry = stored.get(id);
    if (entry !== undefined) return entry;
    const isElsewhere = [...(found?.providers ?? []), ...own].some(({ name }) => name === id);
    if (isElsewhere) {
      const detail = `The provider "${id}" comes from the environment or the server itself, and can't be changed here.`;
      throw new CountersignError('conflict', detail);
    }
    throw unknown(id);
  }
  function unknown(id: string): CountersignError {
    const closest = nearest(id, [...new Set([...stored.keys(), ...(found?.providers ?? []).map(({ name }) => name)])]);
    const meant = closest === undefined ? '' : ` Did you mean "${closest}"?`;
    return new CountersignError('not-found', `There is no provider "${id}".${meant}`);
  }
  async function shown(id: string): Promise<ProviderStatus> {
    await load();
    return known(id).status;
  }

  async function configOf(id: string): Promise<ProviderConfig | { status: ProviderStatus }> {
    await load();
    const entry = stored.get(id);
    if (entry !== undefined) return entry.config ?? { status: entry.status };
    const config = found?.config(id);
    if (config !== undefined) return config;
    const status = (await others()).find((each) => each.id === id);
    if (status === undefined) throw unknown(id);
    return { status };
  }

  return {
    get: (name) => stored.get(name)?.provider,
    names: () => [...stored.keys()],
    secrets() {
      const keys = [...stored.values()].flatMap(({ config }) => config?.apiKey ?? []).filter(isLikelySecret);
      return [...keys, ...secrets.texts()];
    },
    load,
    async list() {
      await load();
      return [...[...stored.values()].map(({ status }) => status), ...(await others())];
    },

    async add(runtime, { kind, name, baseUrl = null, apiKey }, signer) {
      if (reserved().some((other) => other.toLowerCase() === name.toLowerCase())) throw takenName(name);
      // Derive the key before the transaction, because that is slow.
      if (apiKey !== undefined) secrets.get();
      const id = await changeProviders(runtime, signer, async (tx) => {
        const taken = new Set([...reserved(), ...(await tx.providers()).map((record) => record.id)]);
        const id = await freeId(slug(name, 'provider').slice(0, LONGEST_ID), async (candidate) => taken.has(candidate));
        const sealed = apiKey === undefined ? null : sealKey(secrets, apiKey, { id, kind, baseUrl });
        const record = { id, kind, name, baseUrl, apiKey: sealed, rev: 1, createdAt: tx.now() };
        await tx.insertProvider(record);
        return { value: id, record: { decision: 'provider added', why: describe(record) } };
      });
      return await shown(id);
    },

    async change(runtime, id, change, signer) {
      await load();
      known(id);
      if (change.name !== undefined && isReservedFor(change.name, id)) throw takenName(change.name);
      if (typeof change.apiKey === 'string') secrets.get();
      await changeProviders(runtime, signer, async (tx) => {
        const before = (await tx.providers()).find((record) => record.id === id);
        if (before === undefined) throw unknown(id);
        const after = merge(before, change, secrets);
        const why = differences(before, after, change);
        if (why === '') return { value: undefined, record: undefined };
        if (!(await tx.updateProvider(after))) {
          throw new CountersignError('stale', 'Someone else changed this provider at the same time. Try again.');
        }
        return { value: undefined, record: { decision: 'provider changed', why: `${id}: ${why}` } };
      });
      return await shown(id);
    },

    async remove(runtime, id, isForced, signer) {
      await load();
      const { record } = known(id);
      const using = isForced ? [] : await agentsUsing(runtime, id);
      if (using.length > 0) {
        const more = using.length > MOST_NAMED ? ` and ${using.length - MOST_NAMED} more` : '';
        const detail = `Agents use the provider "${id}": ${using.slice(0, MOST_NAMED).join(', ')}${more}. Give them another provider first, or force the removal.`;
        throw new CountersignError('conflict', detail);
      }
      await changeProviders(runtime, signer, async (tx) => {
        if (!(await tx.deleteProvider(id))) throw unknown(id);
        return { value: undefined, record: { decision: 'provider removed', why: describe(record) } };
      });
      await load();
    },

    async test(id, model) {
      const config = await configOf(id);
      if (!('status' in config)) {
        return await testProvider(config, {
          ...(model === undefined ? {} : { model }),
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        });
      }
      const problem = problemOf(config.status);
      if (problem !== undefined) return { ok: false, ...problem, ms: 0 };
      return { ok: true, code: 'ok', detail: 'This model is built in and needs no connection.', ms: 0 };
    },

    async models(id, waitMs = timeoutMs ?? LIST_MS) {
      const config = await configOf(id);
      if ('status' in config) {
        const problem = problemOf(config.status);
        const items = (config.status.models ?? []).map((model) => ({ id: model }));
        return problem === undefined ? { items } : { items, problem };
      }
      try {
        const listed = await listModels(config, AbortSignal.timeout(waitMs));
        if (listed.kind === 'models') return { items: listed.models };
        const detail = 'This server does not list its models. Enter the name of a model.';
        return { items: [], problem: { code: 'model-needed', detail } };
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        return { items: [], problem: explainFailure(config, error, waitMs) };
      }
    },
  };

  function isReservedFor(name: string, id: string): boolean {
    return name.toLowerCase() !== id && reserved().some((other) => other.toLowerCase() === name.toLowerCase());
  }
}

/** Why a provider can't be called. */
function problemOf({ available, problem }: ProviderStatus): ProviderModels['problem'] {
  if (problem !== undefined) return { code: 'failed', detail: `It can't be used: ${problem}.` };
  if (available) return undefined;
  return { code: 'no-key', detail: 'No API key is set. Add a provider with its key, or set the variable and restart.' };
}

function builtIn(name: string): ProviderStatus {
  return { id: name, name, source: 'built-in', hasKey: false, available: true };
}

function takenName(name: string): CountersignError {
  return new CountersignError('conflict', `name: there is already a provider "${name}"`, { field: 'name' });
}

function invalid(field: 'baseUrl' | 'apiKey', detail: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${detail}`, { field });
}

/**
 * Applies a change. The key must be entered again if it would be sent to another server: someone who can edit a provider must not learn its
 * key.
 */
function merge(before: ProviderRecord, change: ProviderChange, secrets: SecretsKey): ProviderRecord {
  const isChecked = isIntact(before, secrets);
  const isWhole = change.kind !== undefined && change.baseUrl !== undefined;
  if (typeof change.apiKey === 'string' && !isChecked && !isWhole) {
    const detail = "enter the kind and URL together with the key, because the saved record can't be checked";
    throw invalid('baseUrl', detail);
  }
  const kind = change.kind ?? providerKindSchema.parse(before.kind);
  const baseUrl = change.baseUrl === undefined ? before.baseUrl : change.baseUrl;
  const { label, key, baseUrl: usual, example } = providerKindFacts(kind);
  if (baseUrl === null && usual === undefined) {
    throw invalid('baseUrl', `${label} has no default URL; enter yours, such as ${example}`);
  }
  const name = change.name ?? before.name;
  const after = { ...before, kind, name, baseUrl };
  if (change.apiKey === null || (change.apiKey === undefined && before.apiKey === null)) {
    if (key === 'required') throw invalid('apiKey', `${label} needs an API key`);
    return { ...after, apiKey: null };
  }
  if (change.apiKey !== undefined) {
    return { ...after, apiKey: sealKey(secrets, change.apiKey, { id: before.id, kind, baseUrl }) };
  }
  if (kind !== before.kind || !isChecked || originOf(kind, baseUrl) !== originOf(kind, before.baseUrl)) {
    throw invalid('apiKey', 'enter the key again, because it would be sent to another server');
  }
  return after;
}

/** The provider's description in the audit log. */
function describe({ id, kind, baseUrl, apiKey }: ProviderRecord): string {
  return `${id}: ${kind}${baseUrl === null ? '' : ` at ${baseUrl}`}, ${apiKey === null ? 'no key' : 'with a key'}`;
}

function differences(before: ProviderRecord, after: ProviderRecord, { apiKey }: ProviderChange): string {
  const texts = (['kind', 'name', 'baseUrl'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => `${field} from ${JSON.stringify(before[field])} to ${JSON.stringify(after[field])}`);
  const isRemoved = before.apiKey !== null && after.apiKey === null;
  return [...texts, ...(typeof apiKey === 'string' ? ['new key'] : isRemoved ? ['key removed'] : [])].join('; ');
}
