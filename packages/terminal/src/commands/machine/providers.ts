import { text } from 'node:stream/consumers';
import { ClientError, readAll, type Client } from '@countersign/client';
import {
  isUnencrypted,
  PROVIDER_KINDS,
  providerKindFacts,
  providerKindSchema,
  type ProviderChange,
  type ProviderKind,
  type ProviderModel,
  type ProviderStatus,
} from '@countersign/protocol';
import { Option, type Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import type { CommandContext } from '../../context.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { readSecret } from '../../input/read-secret.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { errors } from '../../words/errors.js';
import { withHelp, YES } from '../../words/help.js';
import { providersHelp as help } from '../../words/help-providers.js';
import { findThing } from '../../find-things.js';
import { results } from '../../words/results.js';

interface KeyFlags {
  /** Always rejected. */
  apiKey?: unknown;
  apiKeyStdin?: boolean;
  apiKeyEnv?: string;
  newKey?: boolean;
}

interface ProviderFlags extends KeyFlags {
  name?: string;
  kind?: string;
  baseUrl?: string | false;
  test?: boolean;
}

const KINDS = Object.keys(PROVIDER_KINDS);

/** `countersign providers` (TERM3). Never prints a key, and never reads one from an argument. */
export function addProviders(program: Command, register: Register): void {
  const providers = program.command('providers').description(help.about);
  register(withHelp(providers.command('list', { isDefault: true }), help.list), async (context) => {
    const client = await context.client();
    const columns = [
      { title: 'provider', of: ({ id }: ProviderStatus) => id },
      { title: 'name', of: ({ id, name }: ProviderStatus) => (name === id ? '' : name) },
      { title: 'state', of: stateOf },
      { title: 'address', of: ({ baseUrl, problem }: ProviderStatus) => problem ?? baseUrl ?? '' },
      { title: 'key from', of: keyFrom },
      { title: 'models', of: ({ models }: ProviderStatus) => (models ?? []).join(', ') },
    ];
    showList(context, await readAll(() => client.providers()), columns, results.noProviders);
  });

  const add = withHelp(providers.command('add').argument('<kind>', help.kind(KINDS)), help.add)
    .option('--name <name>', help.name)
    .option('--base-url <url>', help.baseUrl);
  register<ProviderFlags>(withKeyFlags(add).option('--no-test', help.noTest), async (context, { args, options }) => {
    const kind = readKind(args[0] ?? '');
    const { label, key } = providerKindFacts(kind);
    const apiKey = await readKey(context, options, { label, wanted: whenAdded(kind, key) });
    const client = await context.client();
    const added = await client.addProvider({
      kind,
      name: options.name ?? label,
      ...(typeof options.baseUrl === 'string' ? { baseUrl: options.baseUrl } : {}),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    showDone(context, results.providerAdded(plainLine(added.id)), added);
    warnUnencrypted(context, added);
    const exit = options.test === false ? EXIT.ok : await runTest(context, client, added, undefined, 'quiet');
    const next = exit === EXIT.ok ? results.providerUse : results.providerKept;
    if (exit !== EXIT.ok || !context.options.json) context.note(next(plainLine(added.id)));
    return exit;
  });

  const edit = withHelp(providers.command('edit').argument('<provider>', help.provider), help.edit)
    .option('--name <name>', help.newName)
    .option('--kind <kind>', help.kind(KINDS))
    .option('--base-url <url>', help.newBaseUrl)
    .option('--no-base-url', help.noBaseUrl);
  register<ProviderFlags>(
    withKeyFlags(edit).option('--new-key', help.newKey).option('--no-api-key', help.noApiKey),
    async (context, { args, options }) => {
      const { name, kind, baseUrl } = options;
      const isRemoved = options.apiKey === false;
      const client = await context.client();
      const { id, name: label } = await find(client, args[0] ?? '');
      const { apiKey: _, ...flags } = options;
      const apiKey = await readKey(context, isRemoved ? flags : options, {
        label,
        wanted: options.newKey === true ? 'required' : 'no',
        ...(isRemoved ? { isRemoved } : {}),
      });
      const change: ProviderChange = {
        ...(name === undefined ? {} : { name }),
        ...(kind === undefined ? {} : { kind: readKind(kind) }),
        ...(baseUrl === undefined ? {} : { baseUrl: baseUrl === false ? null : baseUrl }),
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(isRemoved ? { apiKey: null } : {}),
      };
      if (Object.keys(change).length === 0) throw new CommandError(errors.nothingToChange);
      const changed = await client.updateProvider(id, change).catch((error: unknown) => {
        throw change.apiKey === undefined ? explainKey(error) : error;
      });
      showDone(context, plainLine(results.providerChanged(changed.id)), changed);
      warnUnencrypted(context, changed);
    },
  );

  const remove = withHelp(providers.command('remove').argument('<provider>', help.provider), help.remove)
    .option('--force', help.force)
    .option('--yes', YES);
  register<{ force?: boolean; yes?: boolean }>(remove, async (context, { args, options }) => {
    const client = await context.client();
    const { id, name } = await find(client, args[0] ?? '');
    await confirm(context, { yes: options.yes, what: results.providerRemoval(name) });
    await client.removeProvider(id, { force: options.force === true });
    showDone(context, plainLine(results.providerRemoved(id)), { removed: id });
  });

  const test = withHelp(providers.command('test').argument('<provider>', help.provider), help.test);
  register<{ model?: string }>(test.option('--model <name>', help.model), async (context, { args, options }) => {
    const client = await context.client();
    return await runTest(context, client, await find(client, args[0] ?? ''), options.model, 'result');
  });

  const models = withHelp(providers.command('models').argument('<provider>', help.provider), help.models);
  register(models, async (context, { args }) => {
    const client = await context.client();
    const { id } = await find(client, args[0] ?? '');
    const { items, problem } = await client.providerModels(id);
    if (problem !== undefined) throw new CommandError(errors.noModelList(plainLine(problem.detail)), EXIT.failed);
    const columns = [
      { title: 'model', of: (model: ProviderModel) => model.id },
      { title: 'name', of: ({ name }: ProviderModel) => name ?? '' },
      { title: 'context', of: ({ contextTokens }: ProviderModel) => contextTokens?.toLocaleString('en') ?? '' },
      {
        title: 'price',
        of: ({ inputPrice, outputPrice }: ProviderModel) => results.modelPrice(inputPrice, outputPrice),
      },
    ];
    showList(context, items, columns, results.noModels);
  });
}

function withKeyFlags(command: Command): Command {
  return (
    command
      .option('--api-key-stdin', help.apiKeyStdin)
      .option('--api-key-env <name>', help.apiKeyEnv)
      // Declared only to be rejected with an explanation: other users can read the arguments of a process.
      .addOption(new Option('--api-key [key]').hideHelp())
  );
}

/** Most local servers need no key, so an optional key is requested only for OpenAI-compatible servers. */
function whenAdded(kind: ProviderKind, key: 'required' | 'optional'): 'required' | 'optional' | 'no' {
  if (key === 'required') return 'required';
  return kind === 'openai-compatible' ? 'optional' : 'no';
}

async function readKey(
  context: CommandContext,
  flags: KeyFlags,
  { label, wanted, isRemoved = false }: { label: string; wanted: 'required' | 'optional' | 'no'; isRemoved?: boolean },
): Promise<string | undefined> {
  if (flags.apiKey !== undefined) throw new CommandError(errors.keyInArgument, EXIT.usage);
  const { apiKeyStdin, apiKeyEnv, newKey } = flags;
  const sources = [apiKeyStdin === true, apiKeyEnv !== undefined, newKey === true, isRemoved];
  if (sources.filter(Boolean).length > 1) throw new CommandError(errors.oneKeySource, EXIT.usage);
  // A key typed at a terminal would be echoed.
  if (apiKeyStdin === true && context.console.stdin.isTTY)
    return nonEmpty((await readSecret(context, results.apiKeyPrompt(label, false))).trim());
  if (apiKeyStdin === true) return nonEmpty((await text(context.console.stdin)).trim());
  if (apiKeyEnv !== undefined) {
    const value = context.console.env[apiKeyEnv]?.trim() ?? '';
    if (value === '') throw new CommandError(errors.variableNotSet(apiKeyEnv));
    return value;
  }
  if (wanted === 'no') return undefined;
  if (!context.isPerson) {
    if (wanted === 'optional') return undefined;
    throw new CommandError(errors.needsApiKey(label));
  }
  const typed = (await readSecret(context, results.apiKeyPrompt(label, wanted === 'optional'))).trim();
  return wanted === 'optional' && typed === '' ? undefined : nonEmpty(typed);
}

/** A change of the host or the kind needs the key again (MODEL8.3). */
function explainKey(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.field !== 'apiKey') return error;
  return new CommandError(errors.keyNeededAgain(plainLine(error.detail)), EXIT.usage);
}

function nonEmpty(key: string): string {
  if (key === '') throw new CommandError(errors.emptyApiKey);
  return key;
}

function readKind(word: string): ProviderKind {
  const kind = providerKindSchema.safeParse(word);
  if (kind.success) return kind.data;
  throw new CommandError(errors.notAKind(word, suggestion(word, KINDS)), EXIT.usage);
}

async function find(client: Client, word: string): Promise<ProviderStatus> {
  return findThing(await readAll(() => client.providers()), word, { what: 'provider' });
}

async function runTest(
  context: CommandContext,
  client: Client,
  { id, name }: ProviderStatus,
  model: string | undefined,
  output: 'result' | 'quiet',
): Promise<ExitCode> {
  const result = await client.testProvider(id, model === undefined ? {} : { model });
  if (context.options.json && output === 'result') context.json(result);
  else context.note(plainLine(results.providerTested(name, result.detail, result.closest)));
  if (result.code === 'unknown-model' && !context.options.json) context.note(results.providerList(plainLine(id)));
  return result.ok ? EXIT.ok : EXIT.failed;
}

/** Warns about an unencrypted URL. It works and is saved; the person decides (MODEL7.9). */
function warnUnencrypted(context: CommandContext, { hasKey, baseUrl = '' }: ProviderStatus): void {
  if (hasKey && isUnencrypted(baseUrl)) context.note(results.unencryptedKey);
}

/** Describes only the configuration; `test` makes a request. */
function stateOf({ available, problem }: ProviderStatus): string {
  if (available) return 'configured';
  return problem === undefined ? 'no key' : 'not available';
}

function keyFrom({ source, variable, hasKey }: ProviderStatus): string {
  if (variable !== undefined) return variable;
  return source === 'stored' && hasKey ? results.keySaved : '';
}
