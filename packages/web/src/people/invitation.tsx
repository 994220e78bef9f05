import { isLocalLink } from '@countersign/client';
import type { Invitation as Link, Person } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Note } from '../notices/note.js';
import { ShownOnce } from '../form/shown-once.js';
import { t } from '../words/people.js';

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
    <Dialog title={t.invitationTitle(person.name)} onClose={onClose}>
      <div className="space-y-4">
        <p className="text-sm [overflow-wrap:anywhere]">
          {t.invitationText(person.name, new Date(link.expiresAt).toLocaleString())}
          {isFirst ? '' : ` ${t.earlierEnded}`}
        </p>
        <p className="text-sm [overflow-wrap:anywhere]">
          {link.scopes === undefined ? t.invitationGives(person.name) : t.invitationIsLimited(person.name)}
        </p>
        <ShownOnce label={t.invitationLink} text={link.open} />
        {isLocalLink(link.open) ? <Note>{t.localLink}</Note> : null}
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            {t.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
