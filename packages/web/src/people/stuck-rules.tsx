import type { StuckRule } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icon.js';
import { Visible } from '../text/visible.js';
import { peopleWords } from '../words/people.js';

/** Rules that nobody can satisfy, or could satisfy anymore. */
export function StuckRules({ title, rules }: { title: string; rules: readonly StuckRule[] }): ReactElement | null {
  if (rules.length === 0) return null;
  return (
    <div
      role="status"
      className="flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-sm text-amber"
    >
      <Icon name="alert" className="mt-1 shrink-0" />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <p>{title}</p>
        <ul className="mt-1 list-disc space-y-1 pl-5">
          {rules.map(({ world, worldName, rule, why }) => (
            <li key={`${world} ${rule}`}>
              <code>
                <Visible text={rule} strict />
              </code>{' '}
              <Visible text={peopleWords.inWorld(worldName, why)} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
