import { createContext, type ReactElement, type ReactNode, useContext } from 'react';
import type { Read } from '../data/use-read.js';
import { Count } from '../ui/badge.js';
import { Button, IconButton } from '../ui/button.js';
import { Visible } from '../text/visible.js';
import { NoticePlace } from '../notices/notice-place.js';
import { shellWords } from '../words/shell.js';
import { WorldSettingsTabs } from './world-settings.js';

/** `open` shows the list of chats on small screens; `pending` is the number of calls waiting in the inbox. */
export const OpenSidebar = createContext<{ open: () => void; pending: string } | undefined>(undefined);

/** The bar at the top of every page. */
export function TopBar({ children }: { children: ReactNode }): ReactElement {
  const sidebar = useContext(OpenSidebar);
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-b border-line bg-paper px-3 sm:px-5">
      {sidebar === undefined ? null : <SidebarButton {...sidebar} />}
      {children}
    </header>
  );
}

/** The count overlaps the button, so that nothing moves when it appears. */
function SidebarButton({ open, pending }: { open: () => void; pending: string }): ReactElement {
  const label = pending === '' ? shellWords.sidebar : shellWords.sidebarWith(pending);
  return (
    <span className="relative mr-4 inline-flex">
      <IconButton icon="menu" label={label} onClick={open} />
      <span aria-hidden className="pointer-events-none absolute -top-1 left-4">
        <Count value={pending} of={shellWords.inInbox} />
      </span>
    </span>
  );
}

/** A page that is read from top to bottom. */
export function Page({
  title,
  lead,
  actions,
  wide = false,
  isScrolledByKeys = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  /** The page has no controls, so Tab must reach the page itself: otherwise, the keyboard couldn't scroll it. */
  isScrolledByKeys?: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <>
      <TopBar>
        <h1 data-landing="always" className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">
          {title}
        </h1>
        {actions}
      </TopBar>
      <WorldSettingsTabs />
      <div
        {...(isScrolledByKeys ? { tabIndex: 0, role: 'region', 'aria-label': title } : { tabIndex: -1 })}
        className="scroll-quiet min-h-0 flex-1 overflow-y-auto px-3 py-6 sm:px-6"
      >
        <div className={wide ? 'mx-auto max-w-6xl' : 'mx-auto max-w-3xl'}>
          {lead === undefined ? null : <p className="mb-5 max-w-[76ch] text-ink-2">{lead}</p>}
          {children}
        </div>
      </div>
      <NoticePlace />
    </>
  );
}

export function Loading({ what }: { what: string }): ReactElement {
  return (
    <p role="status" className="p-6 text-sm text-ink-3">
      {shellWords.loading(what)}
    </p>
  );
}

/** Why something can't be shown, with a retry button if that may help. */
export function Failed({
  why,
  onRetry,
  isRetrying = false,
}: {
  why: string;
  onRetry?: (() => void) | undefined;
  isRetrying?: boolean;
}): ReactElement {
  return (
    <div
      role="alert"
      className="m-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-red bg-red-soft px-4 py-3 text-sm text-red"
    >
      <span className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        <Visible text={why} />
      </span>
      {onRetry === undefined ? null : (
        <Button size="small" disabled={isRetrying} onClick={onRetry}>
          {shellWords.tryAgain}
        </Button>
      )}
    </div>
  );
}

/** What was read, or why there is nothing yet. */
export function Loaded<T>({
  read,
  what,
  children,
}: {
  read: Read<T>;
  what: string;
  children: (data: T) => ReactNode;
}): ReactElement {
  return read.kind === 'ready' ? <>{children(read.data)}</> : <NotRead read={read} what={what} />;
}

/** Shown while something is loading or failed to load. With `title`, it is a whole page and keeps the navigation bar. */
export function NotRead({
  read,
  what,
  title,
}: {
  read: Exclude<Read<unknown>, { kind: 'ready' }>;
  what: string;
  title?: string;
}): ReactElement {
  const shown =
    read.kind === 'loading' ? (
      <Loading what={what} />
    ) : (
      <Failed why={read.why} onRetry={read.retry} isRetrying={read.isRetrying} />
    );
  if (title === undefined) return shown;
  return (
    <Page title={title}>
      {/* Placed below the banner, which says the same if the connection is down. */}
      <div className="pt-8">{shown}</div>
    </Page>
  );
}
