import { readAll } from '@countersign/client';
import { mayDo, type Invitation as Link, type Person } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useAccount } from '../data/me.js';
import { usePeople } from '../data/use-lists.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import type { MenuEntry } from '../ui/menu.js';
import { Note } from '../notices/note.js';
import { attempt, say } from '../notices/toast.js';
import { GroupsSection } from './groups-section.js';
import { Invitation } from './invitation.js';
import { LeaveDialog } from './leave-dialog.js';
import { PersonCard } from './person-card.js';
import { PersonForm } from './person-form.js';
import { PersonPasskeys } from './person-passkeys.js';
import { PersonSessions } from './person-sessions.js';
import { StuckRules } from './stuck-rules.js';
import { peopleWords } from '../words/people.js';

type Open =
  | { kind: 'add' }
  | { kind: 'edit' | 'sessions' | 'passkeys' | 'disable' | 'remove'; person: Person }
  | { kind: 'invited'; person: Person; link: Link; isFirst: boolean };

/** Everybody who can sign in, with their roles, and the groups that rules name. Only admins can change anything. */
export default function PeoplePage(): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const account = useAccount();
  const isAdmin = account !== undefined && mayDo(account, 'admin');
  const isOwner = isAdmin && account.role === 'owner';
  const [open, setOpen] = useState<Open>();
  const people = usePeople();
  const groups = useRead({ key: ['groups'], read: (signal) => readAll(() => client.groups({ signal })) });
  const stuck = useRead({
    key: ['stuck-rules'],
    read: (signal) => client.stuckRules({}, { signal }),
    enabled: isAdmin,
  });
  if (people.kind !== 'ready') return <NotRead read={people} what={peopleWords.thePeople} title={peopleWords.title} />;
  if (groups.kind !== 'ready') return <NotRead read={groups} what={peopleWords.theGroups} title={peopleWords.title} />;
  const close = (): void => setOpen(undefined);
  const reread = async (): Promise<void> => {
    for (const key of ['people', 'groups', 'stuck-rules', 'me']) await queries.invalidateQueries({ queryKey: [key] });
  };
  const changed = (): void => {
    close();
    void reread();
  };
  const invite = async (person: Person, isFirst = false): Promise<void> => {
    await attempt(
      `invite-${person.id}`,
      client.invitePerson(person.id).then((link) => setOpen({ kind: 'invited', person, link, isFirst })),
    );
  };
  const saved = (person: Person): void => {
    const isNew = open?.kind === 'add';
    changed();
    if (isNew) void invite(person, true);
    else say(peopleWords.changed(person.name), 'green');
  };
  const enable = async (person: Person): Promise<void> => {
    const enabled = client.updatePerson(person.id, { status: 'active' });
    if (await attempt(`enable-${person.id}`, enabled, peopleWords.enabled(person.name))) await reread();
  };
  const entriesFor = (person: Person): MenuEntry[] => {
    if (!isAdmin || (person.role === 'owner' && !isOwner)) return [];
    const isMe = person.id === account.id;
    const isActive = person.status === 'active';
    const edit: MenuEntry = {
      label: peopleWords.edit,
      icon: 'edit',
      onSelect: () => setOpen({ kind: 'edit', person }),
    };
    const others: MenuEntry[] = [
      ...(isActive
        ? ([
            { label: peopleWords.invite, icon: 'send', onSelect: () => void invite(person) },
            { label: peopleWords.sessions, icon: 'globe', onSelect: () => setOpen({ kind: 'sessions', person }) },
            { label: peopleWords.passkeys, icon: 'lock', onSelect: () => setOpen({ kind: 'passkeys', person }) },
            {
              label: peopleWords.disable,
              icon: 'ban',
              danger: true,
              onSelect: () => setOpen({ kind: 'disable', person }),
            },
          ] as const)
        : ([{ label: peopleWords.enable, icon: 'check', onSelect: () => void enable(person) }] as const)),
      { label: peopleWords.remove, icon: 'trash', danger: true, onSelect: () => setOpen({ kind: 'remove', person }) },
    ];
    return isMe ? [edit] : [edit, ...others];
  };
  const admins = people.data.filter(
    ({ role, status }) => status !== 'disabled' && (role === 'owner' || role === 'admin'),
  );
  const groupsOf = ({ id }: Person): string[] =>
    groups.data
      .filter(({ people: listed, oidcMembers = [] }) => [...listed, ...oidcMembers].includes(id))
      .map(({ name }) => name);
  return (
    <Page
      title={peopleWords.title}
      lead={peopleWords.lead}
      actions={
        isAdmin ? (
          <Button size="small" look="primary" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
            {peopleWords.add}
          </Button>
        ) : null
      }
    >
      <div className="mb-4 empty:hidden">
        {isAdmin || account === undefined ? null : (
          <Note>{peopleWords.onlyAdmins(admins.map(({ name }) => name))}</Note>
        )}
        {stuck.kind === 'ready' ? <StuckRules title={peopleWords.stuckNow} rules={stuck.data.items} /> : null}
      </div>
      <ul className="mb-8 space-y-2">
        {people.data.map((person) => (
          <li key={person.id}>
            <PersonCard
              person={person}
              isMe={person.id === account?.id}
              entries={entriesFor(person)}
              onPasskeys={() => setOpen({ kind: 'passkeys', person })}
            />
          </li>
        ))}
      </ul>
      <GroupsSection groups={groups.data} people={people.data} mayChange={isAdmin} onChanged={() => void reread()} />
      {open?.kind === 'add' || open?.kind === 'edit' ? (
        <PersonForm
          person={open.kind === 'edit' ? open.person : undefined}
          isOwner={isOwner}
          onSaved={saved}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'invited' ? (
        <Invitation person={open.person} link={open.link} isFirst={open.isFirst} onClose={close} />
      ) : null}
      {open?.kind === 'sessions' ? <PersonSessions person={open.person} onClose={close} /> : null}
      {open?.kind === 'passkeys' ? <PersonPasskeys person={open.person} onClose={changed} /> : null}
      {open?.kind === 'disable' || open?.kind === 'remove' ? (
        <LeaveDialog
          person={open.person}
          how={open.kind}
          groups={groupsOf(open.person)}
          onDone={changed}
          onClose={close}
        />
      ) : null}
    </Page>
  );
}
