import { isLocalLink } from '@countersign/client';
import type { Invitation, Me, OpenSession } from '@countersign/protocol';
import { type ReactElement, useEffect, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Note } from '../notices/note.js';
import { QrCode } from '../ui/qr-code.js';
import { ShownOnce } from '../form/shown-once.js';
import { useNow } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { accountWords } from '../words/account.js';

const LINK_MS = 60_000;

/** Shows a link to another device, and then which device used it: someone else may have been faster. */
export function OpenDevice({
  account,
  link,
  known,
  onEnd,
  onRenew,
  onClose,
}: {
  account: Me;
  link: Invitation;
  /** Ids of the sessions before the link was made. */
  known: readonly string[];
  onEnd: (session: OpenSession) => void;
  onRenew: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  // The browser's clock may differ from the server's.
  const [until, setUntil] = useState(() => Date.now() + LINK_MS);
  useEffect(() => setUntil(Date.now() + LINK_MS), [link.open]);
  const left = Math.max(0, Math.ceil((until - Math.max(useNow(), until - LINK_MS)) / 1000));
  const sessions = useRead({
    key: ['sessions', account.id],
    read: (signal) => client.sessions({ signal }),
    everyMs: 2000,
  });
  const opened = sessions.kind === 'ready' ? sessions.data.items.find(({ id }) => !known.includes(id)) : undefined;
  const isLocal = isLocalLink(link.open);
  return (
    <Dialog title={accountWords.openDevice} onClose={onClose}>
      <div className="space-y-4 text-sm">
        {opened === undefined ? (
          <>
            <p>{accountWords.deviceText(link.scopes?.join(', '))}</p>
            {left === 0 ? (
              <Note>{accountWords.linkExpired}</Note>
            ) : (
              <>
                {isLocal ? (
                  <Note>{accountWords.localDevice}</Note>
                ) : (
                  <QrCode text={link.open} label={accountWords.qrCode} />
                )}
                {!isLocal && link.open.startsWith('http:') ? <Note>{accountWords.plainDevice}</Note> : null}
                <ShownOnce label={accountWords.deviceLink} text={link.open} />
                <p className="text-ink-3 tabular-nums">{accountWords.linkLeft(left)}</p>
              </>
            )}
          </>
        ) : (
          <p role="status" className="[overflow-wrap:anywhere]">
            <span className="font-medium">
              <Visible text={accountWords.deviceOpened(opened.device)} />
            </span>{' '}
            {accountWords.notYou}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {opened === undefined ? null : (
            <Button look="danger" onClick={() => onEnd(opened)}>
              {accountWords.endDevice}
            </Button>
          )}
          {opened === undefined && left === 0 ? <Button onClick={onRenew}>{accountWords.newLink}</Button> : null}
          <Button look="primary" onClick={onClose}>
            {accountWords.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
