import type { ReactElement } from 'react';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/card.js';
import { approvalWords } from '../../words/approvals.js';
import type { Asked } from '../several/decide-several.js';
import { whyAlone } from '../several/why-alone.js';
import { type Filter, Filters, NO_FILTER } from './filters.js';
import { RowArea } from './row-area.js';
import type { InboxItem } from './use-inbox.js';
import type { Rows } from './use-rows.js';

const words = approvalWords.list;
const several = approvalWords.several;
/** The confirmation shows all of them in full. */
const MOST = 200;

/** The waiting calls, to open one, or to select several and decide them together (PAGE6.1). */
export function InboxList({
  list,
  items,
  mine,
  shownId,
  chosen,
  onChosen,
  filter,
  onFilter,
  onPick,
  onAsk,
  onMore,
  isWide,
}: {
  list: Rows;
  /** All calls, to filter them. */
  items: readonly InboxItem[];
  /** The calls that wait for this person. Only they can be selected. */
  mine: ReadonlySet<string>;
  shownId: string | undefined;
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  onPick: (id: string) => void;
  onAsk: (asked: Asked) => void;
  onMore: (() => void) | undefined;
  /** Next to the card. Otherwise, the filters are at the bottom, where a thumb reaches them. */
  isWide: boolean;
}): ReactElement {
  const free = list.waiting.filter((id) => mine.has(id));
  const itemsOf = (isChosen: boolean): readonly InboxItem[] =>
    free.filter((id) => chosen.has(id) === isChosen).flatMap((id) => list.itemOf(id) ?? []);
  const picked = itemsOf(true);
  const rest = firstOf(itemsOf(false));
  const count = picked.filter(isTogether).length;
  const restCount = rest.filter(isTogether).length;
  const filters = <Filters items={items} filter={filter} onFilter={onFilter} />;
  const hint =
    picked.length === 0
      ? several.hint
      : count === 0
        ? several.onlyAlone
        : count > MOST
          ? several.most(MOST)
          : undefined;
  return (
    <section aria-label={words.name} className="flex min-h-0 flex-1 flex-col">
      {isWide ? filters : null}
      <label className="flex h-9 shrink-0 items-center gap-2.5 border-y border-line pl-3 text-[0.8125rem] pointer-coarse:h-11 pointer-coarse:pl-3.5">
        <input
          type="checkbox"
          disabled={free.length === 0}
          checked={free.length > 0 && picked.length >= Math.min(free.length, MOST)}
          onChange={({ target }) => onChosen(new Set(target.checked ? free.slice(0, MOST) : []))}
          className="size-4 accent-blue pointer-coarse:size-5"
        />
        {free.length > MOST ? several.selectFirst(MOST) : several.selectAll}
        <span role="status" className="mr-3 ml-auto text-ink-3">
          {picked.length === 0 ? '' : several.selected(picked.length)}
        </span>
      </label>
      <RowArea
        list={list}
        mine={mine}
        shownId={shownId}
        chosen={chosen}
        onChoose={(ids, isChosen) => {
          const next = new Set(free.filter((id) => chosen.has(id)));
          for (const id of ids) {
            if (isChosen) next.add(id);
            else next.delete(id);
          }
          onChosen(next);
        }}
        onPick={onPick}
        onMore={onMore}
        empty={
          items.length > 0 ? (
            <p className="p-4 text-sm text-ink-3">
              {words.noMatch}{' '}
              <button type="button" className="text-blue underline" onClick={() => onFilter(NO_FILTER)}>
                {words.clearFilter}
              </button>
            </p>
          ) : isWide ? null : (
            <div className="p-2">
              <Empty title={approvalWords.inboxEmpty}>{approvalWords.inboxEmptyHint}</Empty>
            </div>
          )
        }
      />
      {isWide ? null : <div className="shrink-0 border-t border-line">{filters}</div>}
      <footer className="flex h-14 shrink-0 items-center justify-end gap-1.5 border-t border-line px-2">
        {hint === undefined ? (
          <>
            {restCount === 0 ? null : (
              <Ask look="danger" onClick={() => onAsk({ decision: 'deny', items: rest })}>
                {several.denyRest(restCount)}
              </Ask>
            )}
            <Ask look="danger" onClick={() => onAsk({ decision: 'deny', items: picked })}>
              {several.deny(count)}
            </Ask>
            <Ask look="primary" onClick={() => onAsk({ decision: 'approve', items: picked })}>
              {several.approve(count)}
            </Ask>
          </>
        ) : (
          <p className="mr-auto px-1 text-[0.8125rem] text-ink-3">{hint}</p>
        )}
      </footer>
    </section>
  );
}

function Ask(props: { look: 'danger' | 'primary'; onClick: () => void; children: string }): ReactElement {
  return <Button {...props} size="small" className="pointer-coarse:min-h-11" />;
}

function isTogether(item: InboxItem): boolean {
  return whyAlone(item) === undefined;
}

/** As many calls as can be decided together, and those among them that can't be. */
function firstOf(items: readonly InboxItem[]): readonly InboxItem[] {
  let count = 0;
  return items.filter((item) => (isTogether(item) ? (count += 1) <= MOST : count < MOST));
}
