import type { ProviderAnswer } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { commonWords } from './common.js';

/** Providers, their keys and models. */
export const providerWords = {
  ...commonWords,
  title: 'Providers',
  theProviders: 'the providers',
  lead: 'A provider is a vendor or server that runs models. Agents in every world can use it. API keys are saved encrypted and never shown again.',
  add: 'Add provider',
  editTitle: (name: string) => `Edit ${name}`,
  empty: 'No providers yet.',
  emptyHint: 'Add one with its API key, or with the URL of a model server on your network.',
  others: 'From the environment and this server',
  othersHint:
    "These come from environment variables, were found on this machine, or are built in. You can't change them here.",
  addKey: 'Add key',

  keySaved: 'key saved',
  keyInVariable: (variable: string): ReactElement => (
    <>
      key in <code>{variable}</code>
    </>
  ),
  builtIn: 'built in',
  fromEnvironment: 'from the environment',
  noKey: 'no key',
  notAvailable: 'not available',

  kind: 'Kind',
  baseUrl: 'Base URL',
  baseUrlHint: (usual: string | undefined, example: string | undefined) =>
    usual === undefined ? `Such as ${example ?? ''}` : 'Change it only if you use a proxy or another endpoint.',
  apiKey: 'API key',
  apiKeyOptional: 'API key (optional)',
  apiKeyHint: 'Saved encrypted and never shown again.',
  getKey: (label: string) => `Get a key from ${label}`,
  keyIsSaved: 'A key is saved.',
  replaceKey: 'Replace key',
  removeKey: 'Remove key',
  enterKey: 'Enter the new key, or keep the saved one.',
  keepKey: 'Keep the saved key',
  keyWillGo: 'The saved key will be removed.',
  keyAgain: (canRemove: boolean) =>
    `Enter the key again${canRemove ? ', or remove it' : ''}, because it would be sent to another server.`,
  keyUnreadable: (canRemove: boolean) =>
    `The saved key can't be used. Enter it again${canRemove ? ', or remove it' : ''}.`,
  unencrypted:
    'This URL is not encrypted: everyone on the network can read the API key and your messages. Use https:// if the server supports it.',

  test: 'Test',
  savedButFailed: 'Saved, but the test failed.',
  testing: 'Waiting for an answer…',
  stopTest: 'Cancel test',
  tookMs: (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`),
  answers: {
    ok: 'works',
    'no-key': 'no key',
    'wrong-key': 'wrong key',
    'no-credit': 'no credit',
    'wrong-address': 'wrong address',
    'no-network': 'no network',
    'unknown-model': 'unknown model',
    'model-needed': 'model needed',
    'rate-limited': 'rate limit',
    overloaded: 'overloaded',
    timeout: 'timeout',
    failed: 'failed',
  } satisfies Readonly<Record<ProviderAnswer, string>>,
  didYouMean: (model: string): string => `Test ${model} instead`,

  models: 'Models',
  modelsOf: (name: string) => `Models of ${name}`,
  theModels: 'the models',
  noModels: 'The provider lists no models.',
  findModel: 'Find or enter a model',
  testModel: 'Test model',
  noMatch: 'No listed model matches. You can still test this name.',
  moreModels: (count: number) => `Show ${count} more`,
  context: (tokens: number) => `${tokens.toLocaleString('en')} tokens`,
  price: (input: number | undefined, output: number | undefined) =>
    `${dollars(input)} in, ${dollars(output)} out per million tokens`,

  removeTitle: 'Remove provider',
  removeText: (name: string): ReactElement => (
    <>
      This removes <bdi className="font-semibold">{name}</bdi> and its saved API key. Chats and agents stay.
    </>
  ),
  removeAnyway: 'Remove anyway',
  removeAnywayHint: 'Their turns will fail until you give them another provider.',
  removed: (name: string) => `Removed ${name}.`,

  model: 'Model',
  modelHint: 'Choose one from the list, or enter another name.',
  modelsLoading: "Loading the provider's models…",
  noModelList: 'Could not load the list of models. Enter the name of a model.',
  notListed: (provider: string): string => `${provider} does not list this model. Check its name, or save it anyway.`,
  savedUnlisted: (provider: string, model: string, closest: string | undefined): string =>
    `${provider} does not list the model ${model}.${closest === undefined ? '' : ` Did you mean ${closest}?`} It was saved anyway.`,
  saveAnyway: 'Save anyway',
  useModel: (model: string): string => `Use ${model}`,
} as const;

/** `$2.50`, `$10`, `$0.075`, or `$?` if it is unknown. */
function dollars(price: number | undefined): string {
  if (price === undefined) return '$?';
  return `$${price.toLocaleString('en', { minimumFractionDigits: Number.isInteger(price) ? 0 : 2, maximumFractionDigits: 4 })}`;
}
