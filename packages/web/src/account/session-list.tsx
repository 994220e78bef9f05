import type { OpenSession } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { accountWords } from '../words/account.js';

/** Browser sessions, the last used one first. Without `onEnd`, they can't be ended here. */
export function SessionList({
  sessions,
  onEnd,
}: {
  sessions: readonly OpenSession[];
  onEnd?: ((session: OpenSession) => void) | undefined;
}): ReactElement {
  const listId = useId();
  if (sessions.length === 0) return <p className="text-sm text-ink-3">{accountWords.noSessions}</p>;
  const byUse = [...sessions].sort((a, b) => Number(b.current) - Number(a.current) || (a.usedAt < b.usedAt ? 1 : -1));
  return (
    <ul className="space-y-2">
      {byUse.map((session) => (
        <li key={session.id}>
          <Card className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
            <p id={`${listId}-${session.id}`} className="min-w-0 flex-1 [overflow-wrap:anywhere]">
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
              <Button
                size="small"
                look="danger"
                aria-describedby={`${listId}-${session.id}`}
                onClick={() => onEnd(session)}
              >
                {accountWords.end}
              </Button>
            )}
          </Card>
        </li>
      ))}
    </ul>
  );
}
