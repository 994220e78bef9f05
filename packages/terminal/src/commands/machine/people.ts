import { resolve } from 'node:path';
import { isLocalLink, readAll, type Client } from '@countersign/client';
import { personRoleSchema, ROLES, type Person, type PersonChange, type PersonRole } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import type { CommandContext } from '../../context.js';
import { describeFailure } from '../../describe-failure.js';
import { EXIT } from '../../exit-codes.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { errors } from '../../words/errors.js';
import { peopleHelp as help } from '../../words/help-people.js';
import { withHelp, YES } from '../../words/help.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone, showList } from '../show-list.js';
import { addDelegations } from './delegations.js';
import { findKeys } from './find-keys.js';
import { findPerson } from './find-person.js';
import { stuckText, warnOfStuckRules } from './warn-of-stuck-rules.js';

interface PersonFlags {
  name?: string;
  email?: string | false;
  role?: string | false;
  owner?: boolean;
  world?: readonly string[];
  enable?: boolean;
  invite?: boolean;
}

/** `countersign people` (TERM3). */
export function addPeople(program: Command, register: Register): void {
  const people = program.command('people').description(help.about);
  register(withHelp(people.command('list', { isDefault: true }), help.list), async (context) => {
    const client = await context.client();
    const columns = [
      { title: 'person', of: ({ id }: Person) => id },
      { title: 'name', of: ({ name }: Person) => name },
      { title: 'role', of: rolesOf },
      { title: 'status', of: ({ status }: Person) => status ?? '' },
      { title: 'email', of: ({ email }: Person) => email ?? '' },
    ];
    showList(context, await readAll(() => client.people()), columns, results.noPeople);
  });

  const add = withHelp(people.command('add').argument('<name>', help.name), help.add);
  register<PersonFlags>(withRoleFlags(add).option('--no-invite', help.noInvite), async (context, { args, options }) => {
    const client = await context.client();
    const { role, email, owner, world } = options;
    const added = await client.addPerson({
      name: args[0] ?? '',
      ...(typeof email === 'string' ? { email } : {}),
      // With only a role in one world, the server's default role would open all the others.
      ...(role === undefined && owner !== true && world === undefined ? {} : { role: readRole(options) }),
      ...(world === undefined ? {} : { worldRoles: readWorldRoles(world) }),
    });
    if (options.invite === false) showDone(context, plainLine(results.personAdded(added.id)), added);
    else
      await showInvitation(context, client, added, results.personAdded(added.id)).catch((error: unknown) => {
        const { message, code } = describeFailure(error);
        throw new CommandError(errors.notInvited(added.id, message), code, error);
      });
  });

  const edit = withHelp(people.command('edit').argument('<person>', help.person), help.edit)
    .option('--name <name>', help.newName)
    .option('--enable', help.enable);
  register<PersonFlags>(withRoleFlags(edit).option('--no-email', help.noEmail), async (context, { args, options }) => {
    const { name, email, role } = options;
    const change: PersonChange = {
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email: email === false ? null : email }),
      ...(role === undefined && options.owner !== true ? {} : { role: readRole(options) }),
      ...(options.world === undefined ? {} : { worldRoles: readWorldRoles(options.world) }),
      ...(options.enable === true ? { status: 'active' } : {}),
    };
    if (Object.keys(change).length === 0) throw new CommandError(errors.nothingToChange);
    const client = await context.client();
    const changed = await client.updatePerson((await findPerson(client, args[0] ?? '')).id, change);
    showDone(context, plainLine(results.personChanged(changed.id)), changed);
    await warnOfStuckRules(context, client);
  });

  register(
    withHelp(people.command('invite').argument('<person>', help.person), help.invite),
    async (context, { args }) => {
      const client = await context.client();
      const person = await findPerson(client, args[0] ?? '');
      await showInvitation(context, client, person, results.personInvited(person.name));
    },
  );

  register(
    withHelp(people.command('disable').argument('<person>', help.person), help.disable),
    async (context, { args }) => {
      const client = await context.client();
      const { id } = await findPerson(client, args[0] ?? '');
      const changed = await client.updatePerson(id, { status: 'disabled' });
      showDone(context, plainLine(results.personDisabled(id)), changed);
      await warnOfStuckRules(context, client);
    },
  );

  const remove = withHelp(people.command('remove').argument('<person>', help.person), help.remove);
  register<{ yes?: boolean }>(remove.option('--yes', YES), async (context, { args, options }) => {
    const client = await context.client();
    const { id, name } = await findPerson(client, args[0] ?? '');
    const stuck = (await client.stuckRules({ without: id })).items.map(stuckText);
    const what = [results.personRemoval(name), ...stuck].join(' ');
    await confirm(context, { yes: options.yes, what: plainLine(what) });
    await client.removePerson(id);
    showDone(context, plainLine(results.personRemoved(id)), { removed: id });
    await warnOfStuckRules(context, client);
  });

  addDelegations(people, register);

  register(withHelp(people.command('keys'), help.keys), async (context) => {
    const client = await context.client();
    const keys = await findKeys(client);
    for (const key of keys) context.jsonLine(key);
    if (keys.length === 0) context.note(results.noTrustedPasskeys);
  });

  const reset = withHelp(people.command('reset-passkeys').argument('<person>', help.person), help.resetPasskeys);
  register<{ yes?: boolean }>(reset.option('--yes', YES), async (context, { args: [name = ''], options }) => {
    await confirm(context, { yes: options.yes, what: results.passkeyReset(name) });
    const home =
      context.options.home === undefined ? await context.servers.defaultHome() : resolve(context.options.home);
    const report = await context.servers.resetPasskeys(home, name);
    const { person, removed, sessions, tokensLeft, trustedLeft } = report;
    showDone(context, plainLine(results.passkeysReset(person.name, removed, sessions)), report);
    if (context.options.json) return;
    if (removed > 0) context.note(results.afterReset(trustedLeft > 0));
    if (tokensLeft > 0) context.note(plainLine(results.tokensLeft(person.name, person.id)));
  });
}

function withRoleFlags(command: Command): Command {
  return command
    .option('--email <address>', help.email)
    .option('--role <role>', help.role)
    .option('--no-role', help.noRole)
    .option('--owner', help.owner)
    .option('--world <world=role...>', help.world);
}

async function showInvitation(context: CommandContext, client: Client, person: Person, done: string): Promise<void> {
  const invitation = await client.invitePerson(person.id);
  if (context.options.json) {
    context.json({ ...person, ...invitation });
    return;
  }
  context.note(plainLine(done));
  context.say(invitation.open);
  const { id, name } = person;
  context.note(
    plainLine(
      invitation.scopes === undefined
        ? results.invitationGives(name, rolesOf(person) || results.noRole)
        : results.invitationIsLimited(name, id),
    ),
  );
  if (isLocalLink(invitation.open)) context.note(results.invitationIsLocal);
}

function readRole({ role, owner }: PersonFlags): PersonRole | null {
  if (owner === true) return 'owner';
  if (role === undefined || role === false) return null;
  const read = personRoleSchema.safeParse(role);
  if (read.success) return read.data;
  throw new CommandError(errors.notARole(role, suggestion(role, ROLES)), EXIT.usage);
}

function readWorldRoles(words: readonly string[]): Record<string, Exclude<PersonRole, 'owner'>> {
  const schema = personRoleSchema.exclude(['owner']);
  const pairs = words.map((word) => {
    const [world = '', role = '', ...more] = word.split('=');
    const read = schema.safeParse(role);
    if (world === '' || more.length > 0 || !read.success)
      throw new CommandError(errors.notAWorldRole(word, schema.options), EXIT.usage);
    return [world, read.data] as const;
  });
  return Object.fromEntries(pairs);
}

function rolesOf({ role, worldRoles }: Person): string {
  const worlds = Object.entries(worldRoles).map(([world, each]) => `${each} in ${world}`);
  return [...(role === null ? [] : [role]), ...worlds].join(', ');
}
