import { type ReactElement, type ReactNode, useId } from 'react';
import { Card } from './card.js';

/** The element id of a row's name, and the props of its buttons, which name the row to screen readers. */
export interface RowName {
  readonly id: string;
  readonly button: { readonly size: 'small'; readonly 'aria-describedby': string };
}

/** Cards below each other, one per item. */
export function RowList<Item>({
  items,
  keyOf,
  empty,
  children,
}: {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** Shown if there are no items. */
  empty?: ReactNode;
  children: (item: Item, name: RowName) => ReactNode;
}): ReactElement {
  const listId = useId();
  if (items.length === 0 && empty !== undefined)
    return typeof empty === 'string' ? <p className="text-sm text-ink-3">{empty}</p> : <>{empty}</>;
  return (
    <ul className="space-y-2">
      {items.map((item) => {
        const id = `${listId}-${keyOf(item)}`;
        return (
          <li key={keyOf(item)}>
            <Card className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 text-sm">
              {children(item, { id, button: { size: 'small', 'aria-describedby': id } })}
            </Card>
          </li>
        );
      })}
    </ul>
  );
}
