import type { Token } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { accountWords } from '../words/account.js';

/** Tokens without their secrets. Without `onRevoke`, they can't be revoked here. */
export function TokenList({
  tokens,
  onRevoke,
}: {
  tokens: readonly Token[];
  onRevoke?: ((token: Token) => void) | undefined;
}): ReactElement {
  return (
    <RowList items={tokens} keyOf={({ id }) => id} empty={accountWords.noTokens}>
      {(token, name) => (
        <>
          <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <p id={name.id} className="font-medium">
              <Visible text={token.name} />
            </p>
            <p className="text-[0.8125rem] text-ink-3">
              {accountWords.may(token.scopes.join(', '))} ·{' '}
              {token.usedAt === undefined ? (
                accountWords.neverUsed
              ) : (
                <>
                  {accountWords.lastUsed} <Ago at={token.usedAt} />
                  {accountWords.usedFrom(token.usedFrom)}
                </>
              )}{' '}
              · {accountWords.expiresOn(new Date(token.expiresAt).toLocaleDateString())}
              {token.createdBy === undefined ? null : <> · {accountWords.createdBy(token.createdBy)}</>}
            </p>
          </div>
          {onRevoke === undefined ? null : (
            <Button {...name.button} look="danger" onClick={() => onRevoke(token)}>
              {accountWords.revoke}
            </Button>
          )}
        </>
      )}
    </RowList>
  );
}
