import type { SecretVariable } from '@countersign/protocol';

/** A provider that could be used at once, and where its key is. Never the key. */
export interface AvailableProvider {
  name: 'openai' | 'anthropic' | 'google';
  variable: string;
}

/** All of them secret: the type keeps them from the programs we start (A21). */
const VARIABLES: readonly (readonly [AvailableProvider['name'], readonly SecretVariable[]])[] = [
  ['anthropic', ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']],
  ['openai', ['OPENAI_API_KEY']],
  ['google', ['GOOGLE_API_KEY', 'GEMINI_API_KEY']],
];

/** Which providers have a key in this environment. */
export function availableProviders(
  env: Readonly<Record<string, string | undefined>> = process.env,
): AvailableProvider[] {
  return VARIABLES.flatMap(([name, variables]) => {
    const variable = variables.find((candidate) => (env[candidate] ?? '').trim() !== '');
    return variable === undefined ? [] : [{ name, variable }];
  });
}
