import { isLocalLink } from '@countersign/client';
import type { Invitation as Link, Person } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Note } from '../notices/note.js';
import { ShownOnce } from '../form/shown-once.js';
import { peopleWords } from '../words/people.js';

/** Shows an invitation once. */
export function Invitation({
  person,
  link,
  isFirst,
  onClose,
}: {
  person: Pick<Person, 'name'>;
  link: Link;
  isFirst: boolean;
  onClose: () => void;
}): ReactElement {
  return (
    <Dialog title={peopleWords.invitationTitle(person.name)} onClose={onClose}>
      <div className="space-y-4">
        <p className="text-sm [overflow-wrap:anywhere]">
          {peopleWords.invitationText(person.name, new Date(link.expiresAt).toLocaleString())}
          {isFirst ? '' : ` ${peopleWords.earlierEnded}`}
        </p>
        <p className="text-sm [overflow-wrap:anywhere]">
          {link.scopes === undefined
            ? peopleWords.invitationGives(person.name)
            : peopleWords.invitationIsLimited(person.name)}
        </p>
        <ShownOnce label={peopleWords.invitationLink} text={link.open} />
        {isLocalLink(link.open) ? <Note>{peopleWords.localLink}</Note> : null}
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            {peopleWords.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
