import { ClientError } from '@countersign/client';
import type { Me, Token } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Confirm } from '../form/confirm.js';
import { Loaded } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { attempt } from '../notices/toast.js';
import { isLimited } from './is-limited.js';
import { NewToken } from './new-token.js';
import { TokenList } from './token-list.js';
import { accountWords } from '../words/account.js';

/** Personal tokens. Absent in a program that mounts the web app: there, only its own token exists. */
export function TokensSection({ account }: { account: Me }): ReactElement | null {
  const client = useClient();
  const [isAdding, setIsAdding] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const tokens = useRead({
    key: ['tokens', account.id],
    read: async (signal) => {
      try {
        return (await client.tokens(account.id, { signal })).items;
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) return undefined;
        throw error;
      }
    },
  });
  if (tokens.kind === 'ready' && tokens.data === undefined) return null;
  const mayChange = !isLimited(account);
  const revoke = async ({ id, name }: Token): Promise<void> => {
    if (!(await attempt(`revoke-${id}`, client.revokeToken(account.id, id), accountWords.revoked(name)))) return;
    setRevoking(undefined);
    await tokens.reread();
  };
  return (
    <Section
      title={accountWords.tokens}
      lead={mayChange ? accountWords.tokensLead : accountWords.limitedHint[account.limitedBy ?? 'token']}
      actions={
        mayChange ? (
          <Button size="small" icon="plus" onClick={() => setIsAdding(true)}>
            {accountWords.newToken}
          </Button>
        ) : null
      }
    >
      <Loaded read={tokens} what={accountWords.theTokens}>
        {(all) => <TokenList tokens={all ?? []} onRevoke={mayChange ? setRevoking : undefined} />}
      </Loaded>
      {isAdding ? (
        <NewToken account={account} onMade={() => void tokens.reread()} onClose={() => setIsAdding(false)} />
      ) : null}
      {revoking === undefined ? null : (
        <Confirm
          title={accountWords.revokeTitle}
          action={accountWords.revoke}
          icon="trash"
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          {accountWords.revokeText(revoking.name)}
        </Confirm>
      )}
    </Section>
  );
}
