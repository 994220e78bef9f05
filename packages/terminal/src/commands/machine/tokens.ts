import { readAll } from '@countersign/client';
import { tokenScopeSchema, type Token, type TokenScope } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { errors } from '../../words/errors.js';
import { tokensHelp as help } from '../../words/help-people.js';
import { withHelp } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { findThing } from '../../find-things.js';
import { whoseOf } from './whose-of.js';

const DAY_MS = 24 * 60 * 60 * 1000;

interface TokenFlags {
  person?: string;
  scopes?: string;
  days?: string;
}

/** `countersign tokens` (TERM3). A token is printed once, when it is created. */
export function addTokens(program: Command, register: Register): void {
  const tokens = program.command('tokens').description(help.about);
  const list = withHelp(tokens.command('list', { isDefault: true }), help.list).option(
    '--person <person>',
    help.person,
  );
  register<TokenFlags>(list, async (context, { options }) => {
    const client = await context.client();
    const person = await whoseOf(client, options.person);
    const columns = [
      { title: 'token', of: ({ id }: Token) => id },
      { title: 'name', of: ({ name }: Token) => name },
      { title: 'scopes', of: ({ scopes }: Token) => scopes.join(', ') },
      {
        title: 'last used',
        of: ({ usedAt }: Token) => (usedAt === undefined ? results.neverUsed : minuteText(usedAt)),
      },
      { title: 'from', of: ({ usedFrom }: Token) => usedFrom ?? '' },
      {
        title: 'expires',
        of: ({ expiresAt }: Token) => minuteText(expiresAt),
      },
    ];
    showList(context, await readAll(() => client.tokens(person)), columns, results.noTokens);
  });

  const add = withHelp(tokens.command('add').argument('<name>', help.name), help.add)
    .requiredOption('--scopes <scopes>', help.scopes)
    .option('--days <days>', help.days)
    .option('--person <person>', help.person);
  register<TokenFlags>(add, async (context, { args, options }) => {
    const scopes = readScopes(options.scopes ?? '');
    const expiry = readExpiry(options.days);
    const client = await context.client();
    const created = await client.createToken(await whoseOf(client, options.person), {
      name: args[0] ?? '',
      scopes,
      ...expiry,
    });
    if (context.options.json) {
      context.json(created);
      return;
    }
    context.say(created.token);
    context.note(results.tokenShownOnce);
  });

  const revoke = withHelp(tokens.command('revoke').argument('<token>', help.token), help.revoke);
  register<TokenFlags>(revoke.option('--person <person>', help.person), async (context, { args, options }) => {
    const client = await context.client();
    const person = await whoseOf(client, options.person);
    const found = findThing(await readAll(() => client.tokens(person)), args[0] ?? '', { what: 'token' });
    await client.revokeToken(person, found.id);
    showDone(context, plainLine(results.tokenRevoked(found.name)), { revoked: found.id });
  });
}

function readScopes(words: string): TokenScope[] {
  return words.split(',').map((word) => {
    const scope = tokenScopeSchema.safeParse(word.trim());
    if (scope.success) return scope.data;
    throw new CommandError(
      errors.notAScope(word.trim(), suggestion(word.trim(), tokenScopeSchema.options)),
      EXIT.usage,
    );
  });
}

function readExpiry(days: string | undefined): { expiresAt?: string } {
  if (days === undefined) return {};
  const number = Number(days);
  if (!Number.isInteger(number) || number < 1 || number > 366) throw new CommandError(errors.notDays(days), EXIT.usage);
  return { expiresAt: new Date(Date.now() + number * DAY_MS).toISOString() };
}
