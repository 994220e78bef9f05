import { isLikelySecret, type Provider } from '@countersign/core/ports';
import { PROVIDER_KINDS, type ProviderStatus } from '@countersign/protocol';
import {
  anthropic,
  availableProviders,
  chosenAddress,
  findOllama,
  google,
  openai,
  openaiCompatible,
  type ProviderConfig,
} from '@countersign/providers';
import { harbourModel } from './demo/harbour-model.js';

/** Suggestions until the vendor's own list is loaded. Vendors retire models after about a year, so update these in time. */
const MODELS = { anthropic: 'claude-sonnet-5', openai: 'gpt-5.6-terra', google: 'gemini-3.5-flash' } as const;
const MAKE = { anthropic, openai, google } as const;
const OLLAMA_URL = 'http://127.0.0.1:11434';

export interface FoundProviders {
  /** All providers, with or without a key; without one, a call fails with a message. SDKs are loaded on first use. */
  providers: readonly Provider[];
  /** Names of the providers that have a key or need none. Excludes Ollama, which may or may not be running. */
  configured: readonly string[];
  /** The current status of each provider. Never contains a key. */
  status(): Promise<ProviderStatus[]>;
  /** The configuration for calling a provider. Undefined for the demo's model, or without a usable key. */
  config(id: string): ProviderConfig | undefined;
  /** Keys to mask in tool results (TURN14). Placeholders such as `OPENAI_API_KEY=ollama` are not masked. */
  secrets: readonly string[];
}

type Vendor = keyof typeof MAKE;

export function findProviders(env: NodeJS.ProcessEnv, ollamaUrl: string = OLLAMA_URL): FoundProviders {
  const demo = harbourModel();
  const keyed = availableProviders(env);
  const vendors = Object.keys(MAKE) as Vendor[];
  const providers = [
    demo,
    ...vendors.map((name) => MAKE[name]()),
    openaiCompatible({ name: 'ollama', baseURL: `${ollamaUrl}/v1` }),
  ];
  return {
    providers,
    configured: [demo.name, ...keyed.map(({ name }) => name)],
    secrets: keyed.flatMap(({ variable }) => env[variable]?.trim() ?? []).filter(isLikelySecret),
    config(id) {
      const provider = providers.find(({ name }) => name === id);
      if (provider === undefined) return undefined;
      if (id === 'ollama') return { id, kind: 'ollama', baseUrl: `${ollamaUrl}/v1`, apiKey: undefined, provider };
      const found = keyed.find(({ name }) => name === id);
      if (found === undefined) return undefined;
      const chosen = chosenAddress(found.name, env);
      if (chosen.kind === 'unusable') return undefined;
      const baseUrl = chosen.kind === 'own' ? env[chosen.variable]?.trim() : undefined;
      return {
        id,
        kind: found.name,
        baseUrl: baseUrl ?? PROVIDER_KINDS[found.name].baseUrl,
        apiKey: env[found.variable]?.trim(),
        provider,
      };
    },
    async status() {
      const ollama = await findOllama({ url: ollamaUrl });
      const local = { id: 'ollama', kind: 'ollama', name: 'ollama', source: 'environment', hasKey: false } as const;
      return [
        {
          id: demo.name,
          name: demo.name,
          source: 'built-in',
          hasKey: false,
          available: true,
          models: ['demo'],
        },
        ...vendors.map((name) => {
          const variable = keyed.find((found) => found.name === name)?.variable;
          const chosen = chosenAddress(name, env);
          return {
            id: name,
            kind: name,
            name,
            source: 'environment' as const,
            ...(variable === undefined ? {} : { variable }),
            ...(chosen.kind === 'own' ? { baseUrl: chosen.address } : {}),
            hasKey: variable !== undefined,
            available: variable !== undefined && chosen.kind !== 'unusable',
            ...(chosen.kind === 'unusable' ? { problem: chosen.problem } : {}),
            // A custom endpoint's models are unknown.
            ...(chosen.kind === 'own' ? {} : { models: [MODELS[name]] }),
          };
        }),
        ollama === undefined
          ? { ...local, available: false, problem: `no response from ${ollamaUrl}` }
          : { ...local, available: true, baseUrl: ollamaUrl, models: ollama.models },
      ];
    },
  };
}
