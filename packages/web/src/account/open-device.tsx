import { isLocalLink } from '@countersign/client';
import type { DeviceLink, DeviceLinkState, Me, OpenSession } from '@countersign/protocol';
import { type ReactElement, useEffect, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Checkbox } from '../form/field.js';
import { ShownOnce } from '../form/shown-once.js';
import { Note } from '../notices/note.js';
import { attempt } from '../notices/toast.js';
import { spaced } from '../session/pairing.js';
import { useNow } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { QrCode } from '../ui/qr-code.js';
import { accountWords } from '../words/account.js';

const LINK_MS = 60_000;

interface LinkProps {
  account: Me;
  link: DeviceLink;
  /** Ids of the sessions before the link was made. */
  known: readonly string[];
  /** Whether the other device can only read and sign. */
  isLimited: boolean;
  onEnd: (session: OpenSession) => void;
  onRenew: (isLimited: boolean) => void;
  onClose: () => void;
}

/** Shows a link to another device, then the code of the device that opened it, and then which device was signed in. */
export function OpenDevice({ account, link, known, isLimited, onEnd, onRenew, onClose }: LinkProps): ReactElement {
  const client = useClient();
  const [confirmed, setConfirmed] = useState<string>();
  const isConfirmed = confirmed === link.id;
  // Its end is no error: the dialog shows it by itself.
  const state = useRead({
    key: ['device-link', link.id],
    read: (signal) => client.deviceLink(link.id, { signal }).catch((): DeviceLinkState => ({})),
    everyMs: 1000,
  });
  const asked = state.kind === 'ready' ? state.data.asked : undefined;
  const sessions = useRead({
    key: ['sessions', account.id],
    read: (signal) => client.sessions({ signal }),
    everyMs: 2000,
  });
  const opened = sessions.kind === 'ready' ? sessions.data.items.find(({ id }) => !known.includes(id)) : undefined;
  const close = (): void => {
    if (!isConfirmed) client.endDeviceLink(link.id).catch(() => undefined);
    onClose();
  };
  const confirm = async (code: string): Promise<void> => {
    if (await attempt('open-device', client.confirmDevice(link.id, code))) setConfirmed(link.id);
  };
  return (
    <Dialog title={accountWords.openDevice} onClose={close}>
      <div className="space-y-4 text-sm">
        {opened !== undefined ? (
          <p role="status" className="[overflow-wrap:anywhere]">
            <span className="font-medium">
              <Visible text={accountWords.deviceOpened(opened.device)} />
            </span>{' '}
            {accountWords.notYou}
          </p>
        ) : isConfirmed ? (
          <p role="status">{accountWords.deviceComes}</p>
        ) : asked !== undefined ? (
          <div role="status" className="space-y-2 [overflow-wrap:anywhere]">
            <p>
              <Visible text={accountWords.deviceAsks(asked.device, asked.from)} />
            </p>
            <p className="font-mono text-3xl tabular-nums">{spaced(asked.code)}</p>
            <p>{accountWords.compareCode}</p>
          </div>
        ) : (
          <LinkToOpen link={link} isLimited={isLimited} onRenew={onRenew} />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {opened === undefined ? null : (
            <Button look="danger" onClick={() => onEnd(opened)}>
              {accountWords.endDevice}
            </Button>
          )}
          {asked === undefined || isConfirmed || opened !== undefined ? (
            <Button look="primary" onClick={close}>
              {accountWords.done}
            </Button>
          ) : (
            <>
              <Button look="primary" onClick={() => void confirm(asked.code)}>
                {accountWords.confirmDevice}
              </Button>
              {/* Where *Done* was: a click that comes too late lets nobody in. */}
              <Button look="danger" onClick={close}>
                {accountWords.refuseDevice}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function LinkToOpen({ link, isLimited, onRenew }: Pick<LinkProps, 'link' | 'isLimited' | 'onRenew'>): ReactElement {
  // The browser's clock may differ from the server's.
  const [until, setUntil] = useState(() => Date.now() + LINK_MS);
  useEffect(() => setUntil(Date.now() + LINK_MS), [link.open]);
  const left = Math.max(0, Math.ceil((until - Math.max(useNow(), until - LINK_MS)) / 1000));
  const isLocal = isLocalLink(link.open);
  return (
    <>
      <p>{accountWords.deviceText(link.scopes?.join(', '))}</p>
      <Checkbox label={accountWords.onlySign} checked={isLimited} onChange={({ target }) => onRenew(target.checked)} />
      {left === 0 ? (
        <>
          <Note>{accountWords.linkExpired}</Note>
          <Button onClick={() => onRenew(isLimited)}>{accountWords.newLink}</Button>
        </>
      ) : (
        <>
          {isLocal ? <Note>{accountWords.localDevice}</Note> : <QrCode text={link.open} label={accountWords.qrCode} />}
          {!isLocal && link.open.startsWith('http:') ? <Note>{accountWords.plainDevice}</Note> : null}
          <ShownOnce label={accountWords.deviceLink} text={link.open} />
          <p className="text-ink-3 tabular-nums">{accountWords.linkLeft(left)}</p>
        </>
      )}
    </>
  );
}
