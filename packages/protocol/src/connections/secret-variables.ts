/** Environment variables that contain our secrets. Programs that we start don't get them (SAFE1). */
export const SECRET_VARIABLES = [
  'COUNTERSIGN_TOKEN',
  'COUNTERSIGN_SECRETS_KEY',
  'DATABASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'GOOGLE_API_KEY',
  'GEMINI_API_KEY',
] as const;
export type SecretVariable = (typeof SECRET_VARIABLES)[number];

type Environment = Record<string, string | undefined>;

/** The environment for a person's own program, such as their editor or browser. */
export function withoutSecrets(env: Readonly<Environment>): Environment {
  const names = new Set<string>(SECRET_VARIABLES);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}
