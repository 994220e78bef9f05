import type { Person } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { PersonAvatar } from '../ui/avatar.js';
import { Badge } from '../ui/badge.js';
import { Button, IconButton } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Menu, type MenuEntry } from '../ui/menu.js';
import { Visible } from '../text/visible.js';
import { peopleWords } from '../words/people.js';

/** A person with their roles, status and what can be done about them. */
export function PersonCard({
  person,
  isMe,
  entries,
  onPasskeys,
}: {
  person: Person;
  isMe: boolean;
  onPasskeys: () => void;
  entries: readonly MenuEntry[];
}): ReactElement {
  const { id, name, email, role, worldRoles, status } = person;
  const roles = [
    ...(role === null ? [] : [peopleWords.roles[role]]),
    ...Object.entries(worldRoles).map(([world, each]) => peopleWords.roleIn(peopleWords.roles[each], world)),
  ];
  return (
    <Card className="flex flex-wrap items-center gap-3 px-4 py-2.5 sm:flex-nowrap">
      <PersonAvatar id={id} name={name} />
      <div className="min-w-0 flex-1 text-sm [overflow-wrap:anywhere]">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-semibold">
            <Visible text={name} />
          </span>
          {isMe ? <Badge tone="blue">{peopleWords.thisIsYou}</Badge> : null}
          {status === 'disabled' ? <Badge icon="ban">{peopleWords.disabled}</Badge> : null}
          <code className="text-xs text-ink-3">@{id}</code>
        </p>
        <p className="text-[0.8125rem] text-ink-2">
          {roles.join(' · ') || peopleWords.noRole}
          {email === undefined ? null : <span className="text-ink-3"> · {email}</span>}
        </p>
      </div>
      {person.passkeysToConfirm === undefined ? null : (
        <Button size="small" look="amber" icon="lock" onClick={onPasskeys}>
          {peopleWords.confirmPasskeys(person.passkeysToConfirm)}
        </Button>
      )}
      {entries.length === 0 ? null : (
        <Menu trigger={<IconButton icon="more" label={peopleWords.actionsFor(name)} />} entries={entries} />
      )}
    </Card>
  );
}
