import { ClientError, type Client } from '@countersign/client';
import { nearest, type ProviderStatus, type ProviderTest } from '@countersign/protocol';
import type { CommandContext } from '../context.js';
import { readSecret } from '../input/read-secret.js';
import { plainLine } from '../text/plain-text.js';
import { projectWords as words } from '../words/project.js';
import { askLine, choose, pick, sayError, saySentence, showOptions, type Option } from './choose.js';
import type { Reached } from './choose-provider.js';

/** The number of models listed at a time. */
const SHOWN = 12;
/** Models that can't chat are listed last. */
const NOT_CHAT = /embed|whisper|tts|dall-e|moderation|transcribe|realtime|image|sora|davinci|babbage|rerank|guard/i;

/** A model that answered a short test question. Undefined if the person wants another provider. */
export async function chooseModel(
  context: CommandContext,
  client: Client,
  { provider, models }: Reached,
): Promise<string | undefined> {
  const ids = inOrder(
    models.map(({ id }) => id),
    provider.models ?? [],
  );
  let model = await nameModel(context, ids);
  for (;;) {
    context.say(words.trying(plainLine(model)));
    const tested = await client.testProvider(provider.id, { model });
    if (tested.ok) return model;
    sayError(context, tested.detail);
    if (tested.closest !== undefined && tested.closest !== model) context.say(words.closest(plainLine(tested.closest)));
    switch (await choose(context, words.thenWhat, nextSteps(provider, tested))) {
      case 'again':
        break;
      case 'key':
        await replaceKey(context, client, provider);
        break;
      case 'model':
        model = await nameModel(context, ids);
        break;
      case 'provider':
        return undefined;
      case 'anyway':
        return model;
    }
  }
}

type NextStep = 'again' | 'key' | 'model' | 'provider' | 'anyway';

/** A rejected key can be replaced if it is saved here; nothing works with it anyway. */
function nextSteps({ source }: ProviderStatus, { code }: ProviderTest): Option<NextStep>[] {
  const isKeyWrong = code === 'wrong-key' || code === 'no-key';
  const isFinal = isKeyWrong || code === 'unknown-model';
  return [
    ...(isFinal ? [] : [{ label: words.again, value: 'again' } as const]),
    ...(isKeyWrong && source === 'stored' ? [{ label: words.anotherKey, value: 'key' } as const] : []),
    { label: words.anotherModel, value: 'model' },
    { label: words.another, value: 'provider' },
    ...(isKeyWrong ? [] : [{ label: words.anyway, value: 'anyway' } as const]),
  ];
}

async function replaceKey(context: CommandContext, client: Client, { id, name }: ProviderStatus): Promise<void> {
  const apiKey = (await readSecret(context, words.newKey(plainLine(name)))).trim();
  if (apiKey === '') return;
  try {
    await client.updateProvider(id, { apiKey });
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'problem') throw error;
    sayError(context, error.message);
  }
}

/** The vendor's suggestions come first. */
export function inOrder(listed: readonly string[], suggested: readonly string[]): string[] {
  const first = suggested.filter((id) => listed.includes(id));
  const rest = listed.filter((id) => !first.includes(id));
  return [...first, ...rest.filter((id) => !NOT_CHAT.test(id)), ...rest.filter((id) => NOT_CHAT.test(id))];
}

/**
 * Asks for a number from the list, a name, or part of a name, which shortens the list. A name that isn't listed is used if it is entered twice.
 */
async function nameModel(context: CommandContext, ids: readonly string[]): Promise<string> {
  let shown = ids;
  let unlisted: string | undefined;
  const list = (): void => {
    context.say('');
    context.say(context.paint.bold(words.whichModel));
    showOptions(
      context,
      shown.slice(0, SHOWN).map((label) => ({ label })),
    );
    if (shown.length > SHOWN) context.say(context.paint.dim(words.moreModels(shown.length - SHOWN)));
  };
  list();
  for (;;) {
    const typed = await askLine(context, ids.length === 0 ? words.modelName : words.modelNumber);
    if (typed === '') continue;
    const chosen = pick(typed, shown.slice(0, SHOWN)) ?? ids.find((id) => id === typed);
    if (chosen !== undefined) return chosen;
    if (ids.length === 0 || typed === unlisted) return typed;
    const matching = ids.filter((id) => id.toLowerCase().includes(typed.toLowerCase()));
    if (matching.length === 0) {
      unlisted = typed;
      const closest = nearest(typed, ids);
      saySentence(context, words.notListed(typed, closest));
      continue;
    }
    shown = matching;
    list();
  }
}
