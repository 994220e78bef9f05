import type { Me } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { PersonAvatar } from '../ui/avatar.js';
import { Visible } from '../text/visible.js';
import { attempt } from '../notices/toast.js';
import { signOut } from '../session/sign-out.js';
import { rolesText, accountWords } from '../words/account.js';

/** Name and roles, and the button to sign out. */
export function ProfileSection({ account }: { account: Me }): ReactElement {
  const client = useClient();
  const { id, name, email, scopes } = account;
  return (
    <Card className="mb-8 flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <PersonAvatar id={id} name={name} />
      <div className="min-w-0 flex-1 text-sm [overflow-wrap:anywhere]">
        <p>
          <span className="font-semibold">
            <Visible text={name} />
          </span>
          {email === undefined ? null : <span className="text-ink-3"> {email}</span>}
        </p>
        <p className="text-[0.8125rem] text-ink-2">{rolesText(account)}</p>
        {account.kind === 'token' ? <p className="text-[0.8125rem] text-ink-3">{accountWords.sharedToken}</p> : null}
        {scopes === undefined ? null : (
          <p className="text-[0.8125rem] text-amber">
            {accountWords.limited[account.limitedBy ?? 'token'](scopes.join(', '))}
          </p>
        )}
      </div>
      <Button size="small" onClick={() => void attempt('sign-out', signOut(client))}>
        {accountWords.signOut}
      </Button>
    </Card>
  );
}
