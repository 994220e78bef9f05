import { createContext, type ReactElement, type ReactNode, useContext } from 'react';
import { IconButton } from '../ui/button.js';
import { Visible } from '../ui/visible.js';

/** How a page opens the list of chats where there is no room for it. */
export const OpenSidebar = createContext<(() => void) | undefined>(undefined);

/** The bar on top of every page. */
export function TopBar({ children }: { children: ReactNode }): ReactElement {
  const open = useContext(OpenSidebar);
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-b border-line bg-paper px-3 sm:px-5">
      {open === undefined ? null : <IconButton icon="menu" label="Chats and agents" onClick={open} />}
      {children}
    </header>
  );
}

/** A page that is read from top to bottom. */
export function Page({
  title,
  lead,
  actions,
  wide = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <>
      <TopBar>
        <h1 className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">{title}</h1>
        {actions}
      </TopBar>
      <div tabIndex={-1} className="scroll-quiet min-h-0 flex-1 overflow-y-auto px-3 py-6 sm:px-6">
        <div className={wide ? 'mx-auto max-w-6xl' : 'mx-auto max-w-3xl'}>
          {lead === undefined ? null : <p className="mb-5 max-w-[76ch] text-ink-2">{lead}</p>}
          {children}
        </div>
      </div>
    </>
  );
}

export function Loading({ what }: { what: string }): ReactElement {
  return (
    <p role="status" className="p-6 text-sm text-ink-3">
      Loading {what}…
    </p>
  );
}

export function Failed({ why }: { why: string }): ReactElement {
  return (
    <p role="alert" className="m-4 rounded-lg border border-red bg-red-soft px-4 py-3 text-sm text-red">
      <Visible text={why} />
    </p>
  );
}
