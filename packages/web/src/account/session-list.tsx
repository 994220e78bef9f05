import type { OpenSession } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { accountWords } from '../words/account.js';

/** Browser sessions, the last used one first. Without `onEnd`, they can't be ended here. */
export function SessionList({
  sessions,
  onEnd,
}: {
  sessions: readonly OpenSession[];
  onEnd?: ((session: OpenSession) => void) | undefined;
}): ReactElement {
  const byUse = [...sessions].sort((a, b) => Number(b.current) - Number(a.current) || (a.usedAt < b.usedAt ? 1 : -1));
  return (
    <RowList items={byUse} keyOf={({ id }) => id} empty={accountWords.noSessions}>
      {(session, name) => (
        <>
          <p id={name.id} className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <span className="font-medium">
              <Visible text={session.device} />
            </span>
            <span className="text-ink-3">
              , {accountWords.lastUsed} <Ago at={session.usedAt} />
              {accountWords.usedFrom(session.usedFrom)}
            </span>
          </p>
          {session.current ? <Badge tone="blue">{accountWords.thisDevice}</Badge> : null}
          {onEnd === undefined || session.current ? null : (
            <Button {...name.button} look="danger" onClick={() => onEnd(session)}>
              {accountWords.end}
            </Button>
          )}
        </>
      )}
    </RowList>
  );
}
