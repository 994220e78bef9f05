import { ClientError, readAll, type Client } from '@countersign/client';
import {
  freeName,
  isRealProvider,
  PROVIDER_KINDS,
  providerChangeSchema,
  providerKindFacts,
  type ProviderAnswer,
  type ProviderKind,
  type ProviderModel,
  type ProviderStatus,
} from '@countersign/protocol';
import type { CommandContext } from '../context.js';
import { readSecret } from '../input/read-secret.js';
import { plainLine } from '../text/plain-text.js';
import { projectWords as words } from '../words/project.js';
import { results } from '../words/results.js';
import { askLine, choose, sayError, saySentence, type Option } from './choose.js';

/** A provider that responded, with its models. */
export interface Reached {
  readonly provider: ProviderStatus;
  readonly models: readonly ProviderModel[];
}

export async function realProviders(client: Client): Promise<ProviderStatus[]> {
  const all = await readAll(() => client.providers());
  return all.filter(isRealProvider);
}

/** Asks for a configured provider, or for the kind, URL and key of a new one. The key is not echoed. */
export async function chooseProvider(context: CommandContext, client: Client): Promise<Reached> {
  for (;;) {
    const known = await realProviders(client);
    const options: Option<ProviderStatus | undefined>[] = [
      ...known.map((provider) => ({ label: provider.name, value: provider })),
      { label: words.another, value: undefined },
    ];
    const chosen = known.length === 0 ? undefined : await choose(context, words.whichProvider, options);
    const reached = chosen === undefined ? await addProvider(context, client) : await reach(context, client, chosen);
    if (reached !== undefined && 'models' in reached) return reached;
  }
}

/** The models of a provider, or the code of the failure, which is shown. */
async function reach(
  context: CommandContext,
  client: Client,
  provider: ProviderStatus,
): Promise<Reached | { readonly failed: ProviderAnswer }> {
  context.say(words.listing(plainLine(provider.name)));
  const { items, problem } = await client.providerModels(provider.id);
  if (problem === undefined) return { provider, models: items };
  sayError(context, problem.detail);
  return { failed: problem.code };
}

const KINDS = Object.keys(PROVIDER_KINDS) as ProviderKind[];

/** Undefined if the provider could not be used. In that case, nothing is saved. After an error, only the wrong field is asked for again. */
async function addProvider(context: CommandContext, client: Client): Promise<Reached | undefined> {
  const options = KINDS.map((kind) => ({ label: providerKindFacts(kind).label, value: kind }));
  const kind = await choose(context, words.whichProvider, options);
  const { label, key, keyPage } = providerKindFacts(kind);
  const isLocal = key === 'optional';
  let url = await askFirstUrl(context, kind);
  if (keyPage !== undefined) context.say(context.paint.dim(words.keyPage(keyPage)));
  const wantsKey = !isLocal || kind === 'openai-compatible';
  const keyPrompt = results.apiKeyPrompt(label, isLocal);
  let apiKey = wantsKey ? await askKey(context, keyPrompt) : '';
  for (;;) {
    const tried = await tryProvider(context, client, { kind, label, url, apiKey });
    if ('models' in tried) return tried;
    switch (tried.wrong) {
      case 'baseUrl': {
        const next = await askUrl(context, words.urlAgain);
        if (next === '') return undefined;
        const [before, after] = [originOf(kind, url), originOf(kind, next)];
        if (apiKey !== '' && before !== after) {
          saySentence(context, words.keyNotSent(before, after));
          apiKey = await askKey(context, keyPrompt);
        }
        url = next;
        break;
      }
      case 'apiKey':
        apiKey = await askKey(context, words.keyAgain(label));
        if (apiKey === '') return undefined;
        break;
      case 'other':
        return undefined;
    }
  }
}

/** The URL of a provider that has no default or runs on a machine of the person's own. Empty means the default. */
async function askFirstUrl(context: CommandContext, kind: ProviderKind): Promise<string> {
  const { key, baseUrl, example } = providerKindFacts(kind);
  if (baseUrl !== undefined) return key === 'optional' ? await askUrl(context, words.usualUrl(baseUrl)) : '';
  for (;;) {
    const url = await askUrl(context, words.url(example ?? ''));
    if (url !== '') return url;
    context.say(words.urlMissing);
  }
}

/** Asks until the URL is well-formed or empty, so that nobody types a key for a URL that can't be used. */
async function askUrl(context: CommandContext, prompt: string): Promise<string> {
  for (;;) {
    const typed = await askLine(context, prompt);
    const checked = typed === '' ? undefined : providerChangeSchema.safeParse({ baseUrl: typed });
    if (checked?.error === undefined) return typed;
    sayError(context, words.badUrl(checked.error.issues[0]?.message ?? ''));
  }
}

async function askKey(context: CommandContext, prompt: string): Promise<string> {
  return (await readSecret(context, prompt)).trim();
}

/** Where a key is sent: a key that was typed for one origin is not used for another. */
function originOf(kind: ProviderKind, url: string): string {
  return new URL(url === '' ? (providerKindFacts(kind).baseUrl ?? '') : url).origin;
}

interface Entered {
  readonly kind: ProviderKind;
  readonly label: string;
  readonly url: string;
  readonly apiKey: string;
}

/** Saves the provider only if it answers. */
async function tryProvider(
  context: CommandContext,
  client: Client,
  { kind, label, url, apiKey }: Entered,
): Promise<Reached | { readonly wrong: 'baseUrl' | 'apiKey' | 'other' }> {
  const names = (await readAll(() => client.providers())).map(({ name }) => name);
  let added: ProviderStatus;
  try {
    added = await client.addProvider({
      kind,
      name: freeName(label, names),
      ...(url === '' ? {} : { baseUrl: url }),
      ...(apiKey === '' ? {} : { apiKey }),
    });
  } catch (error) {
    // The URL or key is malformed: the server says what is wrong with it.
    if (!(error instanceof ClientError) || error.kind !== 'problem') throw error;
    sayError(context, error.message);
    return { wrong: error.field === 'baseUrl' || error.field === 'apiKey' ? error.field : 'other' };
  }
  const reached = await reach(context, client, added);
  if ('models' in reached) return reached;
  await client.removeProvider(added.id);
  return { wrong: wrongField(reached.failed) };
}

function wrongField(code: ProviderAnswer): 'baseUrl' | 'apiKey' | 'other' {
  if (code === 'wrong-key' || code === 'no-key') return 'apiKey';
  return code === 'wrong-address' || code === 'no-network' ? 'baseUrl' : 'other';
}
