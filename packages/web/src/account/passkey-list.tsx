import type { RegisteredPasskey } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
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
  return (
    <RowList items={passkeys} keyOf={({ id }) => id} empty={passkeyWords.none}>
      {(passkey, name) => (
        <>
          <div id={name.id} className="min-w-0 flex-1 [overflow-wrap:anywhere]">
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
            <Button {...name.button} onClick={() => onTrust(passkey)}>
              {passkeyWords.confirm}
            </Button>
          )}
          {onRemove === undefined ? null : (
            <Button {...name.button} look="danger" onClick={() => onRemove(passkey)}>
              {passkeyWords.remove}
            </Button>
          )}
        </>
      )}
    </RowList>
  );
}
