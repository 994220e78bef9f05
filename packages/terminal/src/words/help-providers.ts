import type { Help } from './help.js';

export const providersHelp = {
  about: 'Manage model providers and their API keys; keys are never printed',
  list: {
    about: 'List model providers, their URLs and where their API keys come from',
    notes: ['"configured" means that a key is set or none is needed. countersign providers test sends a real request.'],
    examples: ['countersign providers', 'countersign providers list --json'],
  },
  add: {
    about: 'Add a model provider, then test it',
    notes: [
      'Prompts for the API key without showing it. The key is encrypted and never shown again.',
      'In scripts, pass the key with --api-key-stdin or --api-key-env.',
    ],
    exitCodes: '0 added and working, 1 not added, or added but the test failed',
    examples: [
      'countersign providers add anthropic',
      'countersign providers add openai-compatible --name "GPU box" --base-url http://10.0.0.5:8000/v1',
      'countersign providers add openrouter --api-key-env OPENROUTER_KEY',
    ],
  },
  edit: {
    about: 'Change the name, address or key of an added provider',
    notes: ['If you change the kind or the host, enter the key again.'],
    examples: ['countersign providers edit anthropic --new-key', 'countersign providers edit gpu-box --name "Big GPU"'],
  },
  remove: {
    about: 'Remove an added provider and its key',
    examples: ['countersign providers remove gpu-box'],
  },
  test: {
    about: 'Test a provider with a real request and report what is wrong',
    exitCodes: '0 it works, 1 it does not',
    examples: ['countersign providers test openai', 'countersign providers test openai --model gpt-5.6-terra'],
  },
  models: {
    about: 'List the models of a provider, with context size and price per million tokens if it reports them',
    examples: ['countersign providers models openrouter'],
  },
  kind: (kinds: readonly string[]): string => `kind of provider: ${kinds.join(', ')}`,
  provider: 'provider (id or name)',
  name: 'name (default: the name of the kind); the id is derived from it and never changes',
  newName: 'new name; the id stays the same',
  baseUrl: 'base URL, such as http://127.0.0.1:8000/v1 (default: the URL of the kind)',
  newBaseUrl: 'new base URL, such as http://127.0.0.1:8000/v1',
  noBaseUrl: 'reset the base URL to the default of the kind',
  apiKeyStdin: 'read the API key from standard input',
  apiKeyEnv: 'read the API key from this environment variable',
  newKey: 'prompt for a new API key',
  noApiKey: 'remove the API key',
  noTest: 'skip the test',
  force: 'remove it even if agents use it; their turns then fail',
  model: 'model that the test asks for a short answer; without it, the test lists the models',
} satisfies Record<string, unknown> & Record<'list' | 'add' | 'edit' | 'remove' | 'test' | 'models', Help>;
