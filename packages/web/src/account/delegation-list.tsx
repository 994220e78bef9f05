import type { Delegation } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Visible } from '../text/visible.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { accountWords } from '../words/account.js';

/** Delegations that a person gave and got. They can end those that they gave, unless `onEnd` is missing. */
export function DelegationList({
  delegations,
  me,
  onEnd,
}: {
  delegations: readonly Delegation[];
  me: string;
  onEnd: ((delegation: Delegation) => void) | undefined;
}): ReactElement {
  return (
    <RowList items={delegations} keyOf={({ id }) => id} empty={accountWords.noDelegations}>
      {(delegation, name) => {
        const { by, to, tools, worlds } = delegation;
        const isOwn = by.id === me;
        const facts = [accountWords.onlyTools(tools), accountWords.onlyWorlds(worlds), periodOf(delegation)];
        return (
          <>
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p id={name.id} className="font-medium">
                <Visible text={isOwn ? accountWords.signsForYou(to.name) : accountWords.youSignFor(by.name)} />
              </p>
              <p className="text-[0.8125rem] text-ink-3">
                <Visible text={facts.join(' · ')} />
              </p>
            </div>
            {isOwn && onEnd !== undefined ? (
              <Button {...name.button} look="danger" onClick={() => onEnd(delegation)}>
                {accountWords.end}
              </Button>
            ) : null}
          </>
        );
      }}
    </RowList>
  );
}

function periodOf({ from, until }: Delegation): string {
  const day = (at: string): string => new Date(at).toLocaleDateString();
  return accountWords.period(Date.parse(from) > Date.now() ? day(from) : undefined, day(until));
}
