import { type ApprovalView, get } from '@countersign/client';
import { type ReactElement, useCallback, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useWorld } from '../../data/connection.js';
import { useAccount } from '../../data/me.js';
import { NoticePlace } from '../../notices/notice-place.js';
import { wasInvited } from '../../session/session.js';
import { TopBar } from '../../shell/frame.js';
import { paths } from '../../shell/paths.js';
import { DESKTOP, useMedia } from '../../shell/use-media.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/card.js';
import { Icon } from '../../ui/icon.js';
import { rolesText } from '../../words/account.js';
import { approvalWords } from '../../words/approvals.js';
import { ApprovalPanel, type Wanted } from '../approval-panel.js';
import { focusOnWaiting } from '../card/use-take-focus.js';
import { useNotNow, withLast } from '../not-now.js';
import { type Asked, DecideSeveral } from '../several/decide-several.js';
import type { ShownApproval } from '../shown-approval.js';
import { useGoToWaiting } from '../use-go-to-waiting.js';
import { type Filter, matches, NO_FILTER } from './filters.js';
import { InboxList } from './inbox-list.js';
import { LastMessages } from './last-messages.js';
import { alikeKey } from './list-rows.js';
import { type Inbox, inboxCount } from './use-inbox.js';
import { useRows } from './use-rows.js';

/** On a narrow screen, the page shows either the list or a card. */
const CARD = 'card';

/** Everything waiting in all chats in all worlds: a list, and the card of one call (PAGE6.3). */
export default function InboxPage({ inbox }: { inbox: Inbox }): ReactElement {
  const [isDeciding, setIsDeciding] = useState(false);
  // The page behind is inert while calls are decided together, so it isn't drawn again after each of them.
  const kept = useRef(inbox);
  if (!isDeciding) kept.current = inbox;
  const { items, others } = kept.current;
  const account = useAccount();
  const worldId = useWorld((state) => state.worldId);
  const approvals = useWorld((state) => state.approvals);
  const isWide = useMedia(DESKTOP);
  const isCard = useSearch() === CARD;
  const [, go] = useLocation();
  const { ids: putOff } = useNotNow();
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ApprovalView>();
  const [wanted, setWanted] = useState<Wanted>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const forget = useCallback(() => setWanted(undefined), []);
  const all = useMemo(() => [...items, ...others], [items, others]);
  const byId = useMemo(() => new Map(all.map((item) => [item.approval.approvalId, item])), [all]);
  const mine = useMemo(() => new Set(items.map(({ approval }) => approval.approvalId)), [items]);
  const calls = useMemo(() => {
    const late = new Set(putOff);
    return withLast([...byId.keys()], [...putOff, ...others.map(({ approval }) => approval.approvalId)]).flatMap(
      (id) => {
        const item = byId.get(id);
        if (item === undefined || taken.has(id) || !matches(item, filter)) return [];
        // Calls that were put off, or wait for others, stay at the end.
        return [{ id, key: late.has(id) ? id : `${mine.has(id) ? '' : 'others '}${alikeKey(item)}` }];
      },
    );
  }, [byId, mine, others, putOff, taken, filter]);
  const list = useRows(calls, byId);
  const shownId = shown?.approvalId;
  // A card that the filter leaves out stays until it is decided.
  const isOut = shownId !== undefined && byId.has(shownId) && !taken.has(shownId) && !list.waiting.includes(shownId);
  const find = useCallback(
    (id: string): ShownApproval | undefined => {
      const item = byId.get(id);
      if (item !== undefined) return item;
      const decided = get(approvals, id);
      return decided === undefined ? undefined : { worldId, agentName: decided.agentId, approval: decided };
    },
    [byId, worldId, approvals],
  );
  const box = useRef<HTMLDivElement>(null);
  const open = (id: string): void => {
    setWanted({ id });
    if (!isWide) go(`${paths.inbox}?${CARD}`);
  };
  const closeCard = (): void => {
    setShown(undefined);
    go(paths.inbox, { replace: true });
  };
  const filterBy = (next: Filter): void => {
    setFilter(next);
    list.release();
    const found = all.filter((item) => matches(item, next)).map(({ approval }) => approval.approvalId);
    const [first] = found;
    if (isWide && first !== undefined && !found.includes(shownId ?? '')) setWanted({ id: first, isQuiet: true });
  };
  useGoToWaiting(() => {
    if (focusOnWaiting(box.current)) return true;
    const [first] = list.waiting;
    if (isWide || isCard || first === undefined) return false;
    open(first);
    return true;
  });
  const strip = (
    // Notices replace the text: below it, they would move the card, and at the bottom its buttons.
    <div className="group/strip flex h-14 w-full shrink-0 flex-col justify-center px-3 pt-2 text-sm text-ink-2 sm:px-4">
      <p className="line-clamp-2 group-has-[[data-notices]_button]/strip:hidden">
        {account !== undefined && wasInvited() ? `${approvalWords.youAre(account.name, rolesText(account))} ` : ''}
        {items.length === 0 && others.length > 0 ? approvalWords.inboxOthers : approvalWords.inboxLead}
      </p>
      <NoticePlace className="max-h-12 overflow-y-auto" />
    </div>
  );
  return (
    <>
      <TopBar>
        <h1 data-landing="always" className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">
          {approvalWords.inbox}
        </h1>
        <NotifyButton />
      </TopBar>
      {asked === undefined ? null : (
        <DecideSeveral
          asked={asked}
          onSend={() => setIsDeciding(true)}
          onSent={(ids) => {
            setTaken((before) => new Set([...before, ...ids]));
            setIsDeciding(false);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
      <h2 className="sr-only">{approvalWords.waitingTitle}</h2>
      <p className="sr-only" role="status">
        {approvalWords.waitingStatus(inboxCount(inbox))}
      </p>
      {isWide ? null : strip}
      <div className="flex min-h-0 flex-1">
        <div
          className={isWide ? 'flex w-[24rem] border-r border-line 2xl:w-[28rem]' : isCard ? 'hidden' : 'flex flex-1'}
        >
          <InboxList
            list={list}
            items={all}
            mine={mine}
            shownId={shownId}
            chosen={chosen}
            onChosen={setChosen}
            filter={filter}
            onFilter={filterBy}
            onPick={open}
            onAsk={setAsked}
            onMore={inbox.loadMore}
            isWide={isWide}
          />
        </div>
        {isWide || isCard ? (
          <div ref={box} className="mx-auto flex min-h-0 w-full max-w-3xl min-w-0 flex-1 flex-col p-2 sm:px-4 sm:pb-4">
            {isWide ? strip : null}
            <ApprovalPanel
              queue={isOut ? [...list.waiting, shownId] : list.waiting}
              taken={taken}
              isListed
              onMore={inbox.loadMore}
              find={find}
              wanted={wanted}
              onWantedShown={forget}
              onShown={setShown}
              onEmpty={isWide ? undefined : closeCard}
              about={(about) => <LastMessages asked={about} />}
              empty={<Empty title={approvalWords.inboxEmpty}>{approvalWords.inboxEmptyHint}</Empty>}
            />
          </div>
        ) : null}
      </div>
      {!isWide && isCard ? (
        <button
          type="button"
          onClick={closeCard}
          className="flex min-h-11 shrink-0 items-center justify-center gap-1 border-t border-line text-sm font-medium text-blue"
        >
          <Icon name="chevron" className="size-3.5 rotate-180" />
          {approvalWords.list.back(inboxCount(inbox))}
        </button>
      ) : null}
    </>
  );
}

function NotifyButton(): ReactElement | null {
  const [permission, setPermission] = useState(() =>
    'Notification' in globalThis ? Notification.permission : 'denied',
  );
  if (permission !== 'default') return null;
  return (
    <Button size="small" icon="bell" onClick={() => void Notification.requestPermission().then(setPermission)}>
      {approvalWords.notify}
    </Button>
  );
}
