import type { ReactElement } from 'react';
import { useAccount } from '../data/me.js';
import { Loading, Page } from '../shell/frame.js';
import { DelegationsSection } from './delegations-section.js';
import { PasskeysSection } from './passkeys-section.js';
import { ProfileSection } from './profile-section.js';
import { PushSection } from './push-section.js';
import { SessionsSection } from './sessions-section.js';
import { TokensSection } from './tokens-section.js';
import { accountWords } from '../words/account.js';

/** The signed-in person: who they are, their passkeys, who signs for them, where they are signed in and notified, and their tokens. */
export default function AccountPage(): ReactElement {
  const account = useAccount();
  return (
    <Page title={accountWords.title}>
      {account === undefined ? (
        <Loading what={accountWords.theAccount} />
      ) : (
        <>
          <ProfileSection account={account} />
          <PasskeysSection account={account} />
          <DelegationsSection account={account} />
          <SessionsSection account={account} />
          {account.kind === 'person' && account.mounted === undefined ? <PushSection account={account} /> : null}
          <TokensSection account={account} />
        </>
      )}
    </Page>
  );
}
