import type { ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { useAccount, useMay } from '../data/me.js';
import { signOut } from '../session/sign-out.js';
import { Count } from '../ui/badge.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';
import { attempt } from '../notices/toast.js';
import { visibleText } from '../text/visible-parts.js';
import { paths } from './paths.js';
import { shellWords } from '../words/shell.js';

/** The signed-in person, and the pages that belong to the server instead of a world. */
export function AccountMenu({ go }: { go: (path: string) => void }): ReactElement | null {
  const client = useClient();
  const account = useAccount();
  const mayReadLog = useMay('admin');
  if (account === undefined) return null;
  const { passkeysToConfirm: toConfirm = 0 } = account;
  return (
    <Menu
      align="end"
      side="top"
      trigger={
        <button
          type="button"
          aria-label={shellWords.accountOf(account.name, toConfirm)}
          className="flex min-h-9 min-w-0 items-center gap-2 rounded-md px-2.5 text-left text-sm text-ink-2 hover:bg-line hover:text-ink"
        >
          <Icon name="person" className="shrink-0 text-ink-3" />
          <bdi className="min-w-0 truncate">{visibleText(account.name)}</bdi>
          <Count value={toConfirm} of={shellWords.passkeysToConfirm} />
        </button>
      }
      entries={[
        { label: shellWords.pages.account, icon: 'person', onSelect: () => go(paths.account) },
        ...(account.mounted === true
          ? []
          : ([{ label: shellWords.peopleWith(toConfirm), icon: 'agents', onSelect: () => go(paths.people) }] as const)),
        ...(mayReadLog && account.mounted !== true
          ? ([{ label: shellWords.pages.serverAudit, icon: 'audit', onSelect: () => go(paths.serverAudit) }] as const)
          : []),
        { label: shellWords.signOut, icon: 'lock', onSelect: () => void attempt('sign-out', signOut(client)) },
      ]}
    />
  );
}
