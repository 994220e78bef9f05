import { readAll, type Client } from '@countersign/client';
import type { Delegation } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { findThing, findWorld } from '../../find-things.js';
import { minuteText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { peopleHelp as help } from '../../words/help-people.js';
import { withHelp } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { findPerson } from './find-person.js';

interface DelegateFlags {
  until: string;
  from?: string;
  tools?: readonly string[];
  world?: readonly string[];
}

/** `countersign people delegate`, `delegations` and `undelegate` (SIGN4). */
export function addDelegations(people: Command, register: Register): void {
  const delegate = withHelp(people.command('delegate').argument('<person>', help.person), help.delegate)
    .requiredOption('--until <date>', help.until)
    .option('--from <date>', help.from)
    .option('--tools <tool...>', help.onlyTools)
    .option('-w, --world <world...>', help.onlyWorlds);
  register<DelegateFlags>(delegate, async (context, { args, options }) => {
    const { tools } = options;
    const until = readTime('--until', options.until, 'end');
    const from = options.from === undefined ? {} : { from: readTime('--from', options.from, 'start') };
    const client = await context.client();
    const { id: to } = await findPerson(client, args[0] ?? '');
    const worlds: string[] = [];
    for (const world of options.world ?? []) worlds.push((await findWorld(client, world)).id);
    const made = await client.delegate({
      to,
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(worlds.length === 0 ? {} : { worlds }),
      ...from,
      until,
    });
    showDone(context, plainLine(results.delegated(made.to.name, minuteText(made.until))), made);
  });

  const list = withHelp(people.command('delegations').argument('[person]', help.whose), help.delegations);
  register(list, async (context, { args: [word] }) => {
    const client = await context.client();
    const person = word === undefined ? undefined : (await findPerson(client, word)).id;
    const columns = [
      { title: 'delegation', of: ({ id }: Delegation) => id },
      { title: 'for', of: ({ by }: Delegation) => by.name },
      { title: 'signs', of: ({ to }: Delegation) => to.name },
      { title: 'tools', of: ({ tools }: Delegation) => tools?.join(', ') ?? results.everything },
      { title: 'worlds', of: ({ worlds }: Delegation) => worlds?.join(', ') ?? results.everything },
      { title: 'from', of: ({ from }: Delegation) => minuteText(from) },
      { title: 'until', of: ({ until }: Delegation) => minuteText(until) },
    ];
    showList(context, await readAll(() => client.delegations(person)), columns, results.noDelegations);
  });

  const end = withHelp(people.command('undelegate').argument('<delegation>', help.delegation), help.undelegate);
  register(end, async (context, { args: [word = ''] }) => {
    const client = await context.client();
    const found = await findDelegation(client, word);
    await client.endDelegation(found.by.id, found.id);
    showDone(context, plainLine(results.delegationEnded(found.by.name, found.to.name)), { ended: found.id });
  });
}

/** Among your own first, and for admins among everybody's. */
async function findDelegation(client: Client, word: string): Promise<Delegation> {
  const all = new Map((await readAll(() => client.delegations())).map((each) => [each.id, each]));
  if (!all.has(word) && (await client.me()).actions.includes('admin')) {
    for (const { id } of await readAll(() => client.people()))
      for (const each of await readAll(() => client.delegations(id))) all.set(each.id, each);
  }
  return findThing([...all.values()], word, { what: 'delegation' });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A time, or a day: from its start, or until its end, where the command runs. */
function readTime(flag: string, text: string, edge: 'start' | 'end'): string {
  const time = DAY.test(text)
    ? new Date(`${text}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}`)
    : new Date(text);
  const isDate = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) && !Number.isNaN(time.getTime());
  if (!isDate) throw new CommandError(errors.notADate(flag, text), EXIT.usage);
  return time.toISOString();
}
