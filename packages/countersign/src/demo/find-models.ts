import { anthropic, availableProviders, findOllama, google, openai, openaiCompatible } from '@countersign/providers';
import type { Provider } from '@countersign/core/ports';

/** A model a person can choose, and where it was found. */
export interface FoundModel {
  provider: Provider;
  model: string;
  where: string;
}

const DEFAULT_MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5-mini', google: 'gemini-2.5-flash' } as const;
const MAKE = { anthropic, openai, google } as const;

/** Real models that could be used at once: a key in the environment, or an Ollama on its usual port. */
export async function findModels(env: NodeJS.ProcessEnv, ollamaUrl?: string): Promise<FoundModel[]> {
  const keyed = availableProviders(env).map(({ name, variable }) => ({
    provider: MAKE[name](),
    model: DEFAULT_MODELS[name],
    where: variable,
  }));
  const ollama = await findOllama(ollamaUrl === undefined ? {} : { url: ollamaUrl });
  const local = (ollama?.models ?? []).slice(0, 3).map((model) => ({
    provider: openaiCompatible({ name: 'ollama', baseURL: ollama?.baseURL ?? '' }),
    model,
    where: 'Ollama',
  }));
  return [...keyed, ...local];
}
