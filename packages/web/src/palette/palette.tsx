import { worldLabel } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { type KeyboardEvent, type ReactElement, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useWorld } from '../data/connection.js';
import { fieldBox } from '../form/field.js';
import { paths, SETTINGS_PAGES } from '../shell/paths.js';
import { Visible } from '../text/visible.js';
import { cx } from '../ui/cx.js';
import { Dialog } from '../ui/dialog.js';
import { focusPage } from '../ui/keep-focus.js';
import { paletteWords } from '../words/palette.js';
import { shellWords } from '../words/shell.js';
import { findEntries, type PaletteEntry } from './find-entries.js';

const MOST = 50;

/** Goes to a chat, page or world by a few letters of its name. Does nothing else. */
export default function Palette({ worlds, onClose }: { worlds: readonly World[]; onClose: () => void }): ReactElement {
  const worldId = useWorld((state) => state.worldId);
  const chats = useWorld((state) => state.chats);
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const entries = useMemo(() => entriesOf(worldId, chats, worlds), [worldId, chats, worlds]);
  const found = findEntries(entries, typed, MOST);
  if (typed.trim() !== '') {
    const path = `${paths.page(worldId, 'search')}?q=${encodeURIComponent(typed.trim())}`;
    found.push({ path, label: paletteWords.searchFor(typed.trim()), kind: shellWords.pages.search });
  }
  const chosen = found[active];
  // After the dialog has opened, which focuses its close button.
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const take = ({ path }: PaletteEntry): void => {
    onClose();
    go(path);
    focusPage();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setActive((active + by + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      take(chosen);
    }
  };
  return (
    <Dialog title={paletteWords.palette} onClose={onClose}>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={paletteWords.paletteHint}
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={chosen === undefined ? undefined : `${listId}-${active}`}
        placeholder={paletteWords.paletteHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        className={cx(fieldBox, 'h-10 text-sm')}
      />
      <ul ref={list} id={listId} role="listbox" aria-label={paletteWords.palette} className="mt-2 h-80 overflow-y-auto">
        {found.map((entry, index) => (
          <li
            key={entry.path}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => take(entry)}
            className={cx(
              'flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 text-sm hover:bg-sunken',
              index === active && 'bg-blue-soft',
            )}
          >
            <span className="min-w-0 flex-1 truncate">
              <Visible text={entry.label} />
            </span>
            <span className="text-xs text-ink-3">{entry.kind}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function entriesOf(
  worldId: string,
  chats: readonly { readonly id: string; readonly title: string }[],
  worlds: readonly World[],
): PaletteEntry[] {
  const { pages } = shellWords;
  const page = (path: string, label: string): PaletteEntry => ({ path, label, kind: paletteWords.page });
  return [
    { path: paths.world(worldId), label: shellWords.newChat, kind: pages.chat },
    page(paths.inbox, pages.inbox),
    ...chats.map(({ id, title }) => ({ path: paths.chat(worldId, id), label: title, kind: pages.chat })),
    ...(['search', 'schedules', ...SETTINGS_PAGES] as const).map((name) =>
      page(paths.page(worldId, name), pages[name]),
    ),
    page(paths.providers, pages.providers),
    page(paths.computer, pages.computer),
    page(paths.account, pages.account),
    ...worlds
      .filter(({ id }) => id !== worldId)
      .map((world) => ({
        path: paths.world(world.id),
        label: worldLabel(world, worlds),
        kind: paletteWords.worldKind,
      })),
  ];
}
