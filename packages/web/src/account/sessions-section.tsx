import type { DeviceLink, Me } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Loaded } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { attempt } from '../notices/toast.js';
import { isLimited } from './is-limited.js';
import { OpenDevice } from './open-device.js';
import { SessionList } from './session-list.js';
import { accountWords } from '../words/account.js';

/** Where the person is signed in. */
export function SessionsSection({ account }: { account: Me }): ReactElement {
  const client = useClient();
  const sessions = useRead({ key: ['sessions', account.id], read: (signal) => client.sessions({ signal }) });
  const mayEnd = !isLimited(account);
  const end = async (id: string | undefined): Promise<void> => {
    const done = id === undefined ? accountWords.othersEnded : accountWords.ended;
    if (await attempt('end-session', client.endSessions(id), done)) await sessions.reread();
  };
  const [link, setLink] = useState<{ given: DeviceLink; known: readonly string[]; isLimited: boolean }>();
  const [isBusy, setIsBusy] = useState(false);
  const openDevice = async (isLimited: boolean): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    await attempt('open-device', makeLink(isLimited));
    setIsBusy(false);
  };
  const makeLink = async (isLimited: boolean): Promise<void> => {
    const known = (await client.sessions()).items.map(({ id }) => id);
    setLink({ given: await client.linkDevice(isLimited ? ['read', 'sign'] : undefined), known, isLimited });
  };
  const others = sessions.kind === 'ready' ? sessions.data.items.filter(({ current }) => !current) : [];
  return (
    <Section
      title={accountWords.sessions}
      lead={mayEnd ? accountWords.sessionsLead : accountWords.limitedHint[account.limitedBy ?? 'token']}
      actions={
        <>
          {mayEnd && others.length > 1 ? (
            <Button size="small" look="danger" onClick={() => void end(undefined)}>
              {accountWords.endOthers}
            </Button>
          ) : null}
          {account.kind === 'person' && account.limitedBy !== 'invitation' ? (
            <Button size="small" icon="plus" aria-disabled={isBusy} onClick={() => void openDevice(false)}>
              {accountWords.openDevice}
            </Button>
          ) : null}
        </>
      }
    >
      <Loaded read={sessions} what={accountWords.theSessions}>
        {({ items }) => <SessionList sessions={items} onEnd={mayEnd ? (session) => void end(session.id) : undefined} />}
      </Loaded>
      {link === undefined ? null : (
        <OpenDevice
          account={account}
          link={link.given}
          known={link.known}
          isLimited={link.isLimited}
          onEnd={({ id }) => {
            setLink(undefined);
            void end(id);
          }}
          onRenew={(isLimited) => void openDevice(isLimited)}
          onClose={() => setLink(undefined)}
        />
      )}
    </Section>
  );
}
