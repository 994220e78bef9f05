/** A provider that could be used at once, and where its key is. Never the key. */
export interface AvailableProvider {
  name: 'openai' | 'anthropic' | 'google';
  variable: string;
}

const VARIABLES: readonly (readonly [AvailableProvider['name'], readonly string[]])[] = [
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
