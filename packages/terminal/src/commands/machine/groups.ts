import { readAll } from '@countersign/client';
import type { Group } from '@countersign/protocol';
import type { Command } from 'commander';
import { confirm } from '../../input/confirm.js';
import { plainLine } from '../../text/plain-text.js';
import { groupsHelp as help } from '../../words/help-people.js';
import { withHelp, YES } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { findPerson } from './find-person.js';
import { findThing } from '../../find-things.js';
import { warnOfStuckRules } from './warn-of-stuck-rules.js';

/** `countersign groups` (TERM3). Rules name groups, as in `by 2 of @finance`. */
export function addGroups(program: Command, register: Register): void {
  const groups = program.command('groups').description(help.about);
  register(withHelp(groups.command('list', { isDefault: true }), help.list), async (context) => {
    const client = await context.client();
    const columns = [
      { title: 'group', of: ({ name }: Group) => name },
      { title: 'people', of: ({ people, oidcMembers = [] }: Group) => [...people, ...oidcMembers].join(', ') },
      { title: 'OIDC group', of: ({ oidcGroup }: Group) => oidcGroup ?? '' },
    ];
    showList(context, await readAll(() => client.groups()), columns, results.noGroups);
  });

  const set = withHelp(
    groups.command('set').argument('<group>', help.group).argument('[people...]', help.people),
    help.set,
  )
    .option('--oidc-group <name>', help.oidcGroup)
    .option('--no-oidc-group', help.noOidcGroup);
  register<{ oidcGroup?: string | false }>(set, async (context, { args: [name = '', ...words], options }) => {
    const client = await context.client();
    const people: string[] = [];
    for (const word of words) people.push((await findPerson(client, word)).id);
    const before = (await readAll(() => client.groups())).find((group) => group.name === name);
    const given = options.oidcGroup;
    // Without the option, the group keeps its OIDC group.
    const oidcGroup = typeof given === 'string' ? given : given === false ? undefined : before?.oidcGroup;
    const saved = await client.putGroup(name, { people, ...(oidcGroup === undefined ? {} : { oidcGroup }) });
    showDone(context, plainLine(results.groupSaved(saved)), saved);
    await warnOfStuckRules(context, client);
  });

  const remove = withHelp(groups.command('remove').argument('<group>', help.group), help.remove);
  register<{ yes?: boolean }>(remove.option('--yes', YES), async (context, { args, options }) => {
    const client = await context.client();
    const groups = (await readAll(() => client.groups())).map((group) => ({ id: group.name }));
    const { id: word } = findThing(groups, args[0] ?? '', { what: 'group' });
    await confirm(context, { yes: options.yes, what: results.groupRemoval(word) });
    await client.removeGroup(word);
    showDone(context, plainLine(results.groupRemoved(word)), { removed: word });
    await warnOfStuckRules(context, client);
  });
}
