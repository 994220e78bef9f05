import type { Token } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Ago } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { accountWords } from '../words/account.js';

/** Tokens without their secrets. Without `onRevoke`, they can't be revoked here. */
export function TokenList({
  tokens,
  onRevoke,
}: {
  tokens: readonly Token[];
  onRevoke?: ((token: Token) => void) | undefined;
}): ReactElement {
  const listId = useId();
  if (tokens.length === 0) return <p className="text-sm text-ink-3">{accountWords.noTokens}</p>;
  return (
    <ul className="space-y-2">
      {tokens.map((token) => (
        <li key={token.id}>
          <Card className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p id={`${listId}-${token.id}`} className="font-medium">
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
                · {accountWords.expiresOn(dateText(token.expiresAt))}
                {token.createdBy === undefined ? null : <> · {accountWords.createdBy(token.createdBy)}</>}
              </p>
            </div>
            {onRevoke === undefined ? null : (
              <Button
                size="small"
                look="danger"
                aria-describedby={`${listId}-${token.id}`}
                onClick={() => onRevoke(token)}
              >
                {accountWords.revoke}
              </Button>
            )}
          </Card>
        </li>
      ))}
    </ul>
  );
}

function dateText(at: string): string {
  return new Date(at).toLocaleDateString();
}
