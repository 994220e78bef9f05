import type { SecretVariable } from '@countersign/protocol';

/** A usable provider and the source of its key. Never contains the key. */
export interface AvailableProvider {
  name: 'openai' | 'anthropic' | 'google';
  variable: string;
}

/** Typed as `SecretVariable`, so that every variable is on the list of variables withheld from child processes (SAFE1). */
const VARIABLES: readonly (readonly [AvailableProvider['name'], readonly SecretVariable[]])[] = [
  ['anthropic', ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']],
  ['openai', ['OPENAI_API_KEY']],
  ['google', ['GOOGLE_API_KEY', 'GEMINI_API_KEY']],
];

/** The providers with a key in this environment. */
export function availableProviders(
  env: Readonly<Record<string, string | undefined>> = process.env,
): AvailableProvider[] {
  return VARIABLES.flatMap(([name, variables]) => {
    const variable = variables.find((candidate) => (env[candidate] ?? '').trim() !== '');
    return variable === undefined ? [] : [{ name, variable }];
  });
}
