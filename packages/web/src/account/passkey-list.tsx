import type { RegisteredPasskey } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { passkeyWords } from '../words/passkeys.js';

/** Passkeys, oldest first. Without `onTrust` or `onRemove`, that can't be done here. */
export function PasskeyList({
  passkeys,
  onTrust,
  onRemove,
}: {
  passkeys: readonly RegisteredPasskey[];
  onTrust?: ((passkey: RegisteredPasskey) => void) | undefined;
  onRemove?: ((passkey: RegisteredPasskey) => void) | undefined;
}): ReactElement {
  const listId = useId();
  if (passkeys.length === 0) return <p className="text-sm text-ink-3">{passkeyWords.none}</p>;
  return (
    <ul className="space-y-2">
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <Card className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
            <div id={`${listId}-${passkey.id}`} className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-medium">
                  <Visible text={passkey.name} />
                </span>
                <Badge tone={passkey.trusted ? 'blue' : 'amber'}>
                  {passkey.trusted ? passkeyWords.trusted : passkeyWords.untrusted}
                </Badge>
              </p>
              <p className="text-[0.8125rem] text-ink-3">
                {passkeyWords.addedOn(new Date(passkey.createdAt).toLocaleDateString())} ·{' '}
                {passkey.usedAt === undefined ? (
                  passkeyWords.neverUsed
                ) : (
                  <>
                    {passkeyWords.lastUsed} <Ago at={passkey.usedAt} />
                  </>
                )}
                {passkey.host === location.hostname ? null : <> · {passkeyWords.onlyAt(passkey.host)}</>}
              </p>
            </div>
            {onTrust === undefined || passkey.trusted ? null : (
              <Button size="small" aria-describedby={`${listId}-${passkey.id}`} onClick={() => onTrust(passkey)}>
                {passkeyWords.confirm}
              </Button>
            )}
            {onRemove === undefined ? null : (
              <Button
                size="small"
                look="danger"
                aria-describedby={`${listId}-${passkey.id}`}
                onClick={() => onRemove(passkey)}
              >
                {passkeyWords.remove}
              </Button>
            )}
          </Card>
        </li>
      ))}
    </ul>
  );
}
