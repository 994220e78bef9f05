import type { ReactElement } from 'react';
import { fieldBox } from '../../form/field.js';
import { visibleText } from '../../text/visible-parts.js';
import { cx } from '../../ui/cx.js';
import { approvalWords } from '../../words/approvals.js';
import type { InboxItem } from './use-inbox.js';

const words = approvalWords.list;

/** What a row must be about. An empty text stands for everything. */
export interface Filter {
  readonly world: string;
  readonly agent: string;
  readonly tool: string;
}

export const NO_FILTER: Filter = { world: '', agent: '', tool: '' };

const PARTS = [
  { part: 'world', all: words.allWorlds, of: (item: InboxItem) => ({ value: item.worldId, label: item.worldName }) },
  { part: 'agent', all: words.allAgents, of: (item: InboxItem) => ({ value: item.agentName, label: item.agentName }) },
  {
    part: 'tool',
    all: words.allTools,
    of: (item: InboxItem) => ({ value: item.approval.toolName, label: item.approval.toolName }),
  },
] as const;

export function matches(item: InboxItem, filter: Filter): boolean {
  return PARTS.every(({ part, of }) => filter[part] === '' || filter[part] === of(item).value);
}

export function Filters({
  items,
  filter,
  onFilter,
}: {
  items: readonly InboxItem[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
}): ReactElement {
  return (
    <div className="grid shrink-0 grid-cols-3 gap-1.5 px-2 py-2">
      {PARTS.map(({ part, all, of }) => {
        const found = new Map(items.map((item) => [of(item).value, of(item).label]));
        const chosen = filter[part];
        // The last call of a world may be decided while only that world is shown.
        if (chosen !== '' && !found.has(chosen)) found.set(chosen, chosen);
        return (
          <select
            key={part}
            aria-label={words.filterBy[part]}
            value={chosen}
            onChange={({ target }) => onFilter({ ...filter, [part]: target.value })}
            className={cx(
              fieldBox,
              'h-8 truncate px-1.5 text-[0.8125rem] pointer-coarse:h-11',
              chosen !== '' && 'border-blue bg-blue-soft',
            )}
          >
            <option value="">{all}</option>
            {[...found]
              .sort(([, a], [, b]) => a.localeCompare(b))
              .map(([value, label]) => (
                <option key={value} value={value}>
                  {visibleText(label)}
                </option>
              ))}
          </select>
        );
      })}
    </div>
  );
}
