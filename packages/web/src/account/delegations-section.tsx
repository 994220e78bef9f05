import { ClientError, readAll } from '@countersign/client';
import { type Delegation, effectiveActions, mayDo, type Me, type Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Loaded } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { attempt } from '../notices/toast.js';
import { DelegationList } from './delegation-list.js';
import { isLimited } from './is-limited.js';
import { NewDelegation } from './new-delegation.js';
import { accountWords } from '../words/account.js';

/** Who signs for the person, and for whom they sign (SIGN4). Absent if there is nobody else who could sign. */
export function DelegationsSection({ account }: { account: Me }): ReactElement | null {
  const client = useClient();
  const [isAdding, setIsAdding] = useState(false);
  const read = useRead({
    key: ['delegations', account.id],
    // Someone who was just added must appear.
    forget: true,
    read: async (signal) => {
      try {
        const people = await readAll(() => client.people({ signal }));
        const { items } = await client.delegations(undefined, { signal });
        return { items, others: people.filter((person) => person.id !== account.id && maySign(person)) };
      } catch (error) {
        // A program that mounts the web app has no people.
        if (error instanceof ClientError && error.status === 404) return undefined;
        throw error;
      }
    },
  });
  if (account.kind !== 'person') return null;
  if (read.kind === 'ready' && (read.data === undefined || isEmpty(read.data))) return null;
  const mayChange = !isLimited(account);
  const worlds = [undefined, ...Object.keys(account.worldRoles)];
  const mayAdd = mayChange && worlds.some((world) => mayDo(account, 'sign', world));
  const end = async ({ id, to }: Delegation): Promise<void> => {
    const ended = client.endDelegation(account.id, id);
    if (await attempt(`end-${id}`, ended, accountWords.delegationEnded(to.name))) await read.reread();
  };
  return (
    <Section
      title={accountWords.away}
      lead={mayChange ? accountWords.awayLead : accountWords.limitedAway[account.limitedBy ?? 'token']}
      actions={
        mayAdd && read.kind === 'ready' && read.data !== undefined && read.data.others.length > 0 ? (
          <Button size="small" icon="plus" onClick={() => setIsAdding(true)}>
            {accountWords.newDelegation}
          </Button>
        ) : null
      }
    >
      <Loaded read={read} what={accountWords.theDelegations}>
        {(data) => (
          <DelegationList
            delegations={data?.items ?? []}
            me={account.id}
            onEnd={mayChange ? (delegation) => void end(delegation) : undefined}
          />
        )}
      </Loaded>
      {isAdding && read.kind === 'ready' ? (
        <NewDelegation
          others={read.data?.others ?? []}
          onMade={() => {
            setIsAdding(false);
            void read.reread();
          }}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
    </Section>
  );
}

function isEmpty({ items, others }: { items: readonly unknown[]; others: readonly unknown[] }): boolean {
  return items.length === 0 && others.length === 0;
}

/** The server decides in any case, and names the field. */
function maySign({ status = 'active', ...person }: Person): boolean {
  const worlds = [undefined, ...Object.keys(person.worldRoles)];
  return worlds.some((world) => effectiveActions({ ...person, status }, world, undefined).has('sign'));
}
