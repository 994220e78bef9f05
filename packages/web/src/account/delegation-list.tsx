import type { Delegation } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Visible } from '../text/visible.js';
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
  const listId = useId();
  if (delegations.length === 0) return <p className="text-sm text-ink-3">{accountWords.noDelegations}</p>;
  return (
    <ul className="space-y-2">
      {delegations.map((delegation) => {
        const { id, by, to, tools, worlds } = delegation;
        const isOwn = by.id === me;
        return (
          <li key={id}>
            <Card className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
              <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <p id={`${listId}-${id}`} className="font-medium">
                  <Visible text={isOwn ? accountWords.signsForYou(to.name) : accountWords.youSignFor(by.name)} />
                </p>
                <p className="text-[0.8125rem] text-ink-3">
                  <Visible
                    text={[accountWords.onlyTools(tools), accountWords.onlyWorlds(worlds), periodOf(delegation)].join(
                      ' · ',
                    )}
                  />
                </p>
              </div>
              {isOwn && onEnd !== undefined ? (
                <Button
                  size="small"
                  look="danger"
                  aria-describedby={`${listId}-${id}`}
                  onClick={() => onEnd(delegation)}
                >
                  {accountWords.end}
                </Button>
              ) : null}
            </Card>
          </li>
        );
      })}
    </ul>
  );
}

function periodOf({ from, until }: Delegation): string {
  const day = (at: string): string => new Date(at).toLocaleDateString();
  return accountWords.period(Date.parse(from) > Date.now() ? day(from) : undefined, day(until));
}
