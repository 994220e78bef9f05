import { readAll } from '@countersign/client';
import type { OpenSession } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { sessionsHelp as help } from '../../words/help-people.js';
import { withHelp } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { findThing } from '../../find-things.js';
import { whoseOf } from './whose-of.js';

interface SessionFlags {
  person?: string;
  all?: boolean;
}

/** `countersign sessions` (TERM3): the browsers in which you, or someone else, are signed in. */
export function addSessions(program: Command, register: Register): void {
  const sessions = program.command('sessions').description(help.about);
  const list = withHelp(sessions.command('list', { isDefault: true }), help.list);
  register<SessionFlags>(list.option('--person <person>', help.person), async (context, { options }) => {
    const client = await context.client();
    const person = await whoseOf(client, options.person);
    const columns = [
      { title: 'session', of: ({ id }: OpenSession) => id },
      { title: 'device', of: ({ device }: OpenSession) => device },
      { title: 'signed in', of: ({ createdAt }: OpenSession) => minuteText(createdAt) },
      { title: 'last used', of: ({ usedAt }: OpenSession) => minuteText(usedAt) },
    ];
    showList(context, await readAll(() => client.personSessions(person)), columns, results.noSessions);
  });

  const end = withHelp(sessions.command('end').argument('[session]', help.session), help.end);
  end.option('--all', help.all).option('--person <person>', help.person);
  register<SessionFlags>(end, async (context, { args, options }) => {
    const word = args[0];
    if ((word === undefined) === (options.all !== true)) throw new CommandError(errors.sessionOrAll, EXIT.usage);
    const client = await context.client();
    const person = await whoseOf(client, options.person);
    const open = await readAll(() => client.personSessions(person));
    const one = word === undefined ? undefined : findThing(open, word, { what: 'session' }).id;
    await client.endPersonSessions(person, one);
    const ended = one === undefined ? open.map(({ id }) => id) : [one];
    showDone(context, plainLine(results.sessionsEnded(ended.length)), { ended });
  });
}
