import { ProviderError } from '@countersign/core/ports';
import type { AvailableProvider } from './available-providers.js';
import { readBaseURL } from './shared/endpoint.js';

const VARIABLES: Readonly<Record<AvailableProvider['name'], string>> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'GOOGLE_GEMINI_BASE_URL',
};

/** The base URL of a provider from the environment, without the query, which may contain a key. */
export type ChosenAddress =
  | { kind: 'vendor' }
  | { kind: 'own'; address: string; variable: string }
  | { kind: 'unusable'; problem: string };

export function chosenAddress(
  name: AvailableProvider['name'],
  env: Readonly<Record<string, string | undefined>> = process.env,
): ChosenAddress {
  const variable = VARIABLES[name];
  const value = env[variable]?.trim() ?? '';
  if (value === '') return { kind: 'vendor' };
  try {
    const { origin, pathname } = new URL(readBaseURL(value));
    return { kind: 'own', address: `${origin}${pathname}`, variable };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { kind: 'unusable', problem: `${variable} is not usable: ${error.message}` };
  }
}
