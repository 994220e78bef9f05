import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useWorld } from '../data/connection.js';
import { shellWords } from '../words/shell.js';
import { paths, SETTINGS_PAGES } from './paths.js';

/** Whether a page is behind *World settings*. Providers belong to the server, but worlds need them. */
export function isWorldSettings(path: string): boolean {
  const page = /^\/w\/[^/]+\/([a-z]+)$/.exec(path)?.[1];
  return path === paths.providers || (page !== undefined && SETTINGS_PAGES.some((each) => each === page));
}

/** The pages behind *World settings*, above each of them. */
export function WorldSettingsTabs(): ReactElement | null {
  const [path] = useLocation();
  const worldId = useWorld((state) => state.worldId);
  if (!isWorldSettings(path)) return null;
  const tabs = [
    ...SETTINGS_PAGES.map((page) => ({ to: paths.page(worldId, page), label: shellWords.pages[page] })),
    { to: paths.providers, label: shellWords.pages.providers },
  ];
  return (
    <nav aria-label={shellWords.worldSettings} className="shrink-0 border-b border-line bg-paper">
      <ul className="scroll-quiet flex overflow-x-auto px-3 sm:px-5">
        {tabs.map(({ to, label }) => (
          <li key={to} className="shrink-0">
            <Link
              href={to}
              ref={path === to ? showTab : undefined}
              aria-current={path === to ? 'page' : undefined}
              className="flex min-h-10 items-center border-b-2 border-transparent px-2.5 text-sm text-ink-2 hover:text-ink aria-[current=page]:border-blue aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** On a phone, the tab of the page may be outside the window. */
function showTab(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
