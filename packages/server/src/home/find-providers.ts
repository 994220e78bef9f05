import { isLikelySecret, type Provider } from '@countersign/core/ports';
import type { ProviderStatus } from '@countersign/protocol';
import {
  anthropic,
  availableProviders,
  chosenAddress,
  findOllama,
  google,
  openai,
  openaiCompatible,
} from '@countersign/providers';
import { harbourModel } from './harbour-model.js';

/** Default models. Any other model of the vendor works too. */
const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5-mini', google: 'gemini-2.5-flash' } as const;
const MAKE = { anthropic, openai, google } as const;
const OLLAMA_URL = 'http://127.0.0.1:11434';

export interface FoundProviders {
  /** All providers, with or without a key; one without fails with a message when called. SDKs are loaded on first use. */
  providers: readonly Provider[];
  /** Which providers are usable now. Never contains a key. */
  status(): Promise<ProviderStatus[]>;
  /** Keys to mask in tool results (T14). Placeholders such as `OPENAI_API_KEY=ollama` are not masked. */
  secrets: readonly string[];
}

export function findProviders(env: NodeJS.ProcessEnv, ollamaUrl: string = OLLAMA_URL): FoundProviders {
  const demo = harbourModel();
  const keyed = availableProviders(env);
  const vendors = Object.keys(MAKE) as (keyof typeof MAKE)[];
  return {
    providers: [
      demo,
      ...vendors.map((name) => MAKE[name]()),
      openaiCompatible({ name: 'ollama', baseURL: `${ollamaUrl}/v1` }),
    ],
    secrets: keyed.flatMap(({ variable }) => env[variable]?.trim() ?? []).filter(isLikelySecret),
    async status() {
      const ollama = await findOllama({ url: ollamaUrl });
      return [
        { name: demo.name, available: true, models: ['demo'] },
        ...vendors.map((name) => {
          const source = keyed.find((found) => found.name === name)?.variable;
          const chosen = chosenAddress(name, env);
          return {
            name,
            available: source !== undefined && chosen.kind !== 'unusable',
            ...(source === undefined ? {} : { source }),
            ...(chosen.kind === 'own' ? { address: chosen.address } : {}),
            ...(chosen.kind === 'unusable' ? { problem: chosen.problem } : {}),
            // The models of a custom endpoint are unknown.
            ...(chosen.kind === 'own' ? {} : { models: [MODELS[name]] }),
          };
        }),
        ollama === undefined
          ? { name: 'ollama', available: false, problem: `no response from ${ollamaUrl}` }
          : { name: 'ollama', available: true, address: ollamaUrl, models: ollama.models },
      ];
    },
  };
}
