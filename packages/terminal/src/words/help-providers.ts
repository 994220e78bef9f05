import type { Help } from './help.js';

export const providersHelp = {
  about: 'Manage model providers: addresses and API keys. Never prints a key',
  list: {
    about: 'List model providers, their URLs and where their API keys come from',
    notes: ['"configured" means that a key is set or none is needed. countersign providers test makes a real call.'],
    examples: ['countersign providers', 'countersign providers list --json'],
  },
  add: {
    about: 'Add a model provider, then test it',
    notes: [
      'Asks for the API key without showing it. The key is encrypted and never shown again.',
      'Programs pass it with --api-key-stdin or --api-key-env.',
    ],
    exitCodes: '0 added and it answers, 1 not added, or added but the test failed',
    examples: [
      'countersign providers add anthropic',
      'countersign providers add openai-compatible --name "GPU box" --base-url http://10.0.0.5:8000/v1',
      'countersign providers add openrouter --api-key-env OPENROUTER_KEY',
    ],
  },
  edit: {
    about: 'Change the name, address or key of an added provider',
    notes: ['If the kind or the host changes, the key has to be entered again.'],
    examples: ['countersign providers edit anthropic --new-key', 'countersign providers edit gpu-box --name "Big GPU"'],
  },
  remove: {
    about: 'Remove an added provider and its key',
    examples: ['countersign providers remove gpu-box'],
  },
  test: {
    about: 'Test a provider with a real call, and say what is wrong',
    exitCodes: '0 it works, 1 it does not',
    examples: ['countersign providers test openai', 'countersign providers test openai --model gpt-5.6-terra'],
  },
  models: {
    about: "Show the provider's own list of models, with context size and price per million tokens where it has them",
    examples: ['countersign providers models openrouter'],
  },
  kind: (kinds: readonly string[]): string => `kind of provider: ${kinds.join(', ')}`,
  provider: 'provider (id or name)',
  name: 'name (default: that of the kind); the id is made from it and never changes',
  newName: 'new name; the id stays the same',
  baseUrl: 'base URL, such as http://127.0.0.1:8000/v1 (default: that of the kind)',
  noBaseUrl: 'use the base URL of the kind again',
  apiKeyStdin: 'read the API key from standard input',
  apiKeyEnv: 'read the API key from this environment variable',
  newKey: 'ask for a new API key',
  noApiKey: 'remove the API key',
  noTest: 'don’t test it',
  force: 'remove it even if agents use it; their turns then fail',
  model: 'ask this model for a short answer; without it, the list of models is requested',
} satisfies Record<string, unknown> & Record<'list' | 'add' | 'edit' | 'remove' | 'test' | 'models', Help>;
