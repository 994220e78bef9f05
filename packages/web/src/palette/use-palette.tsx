import type { World } from '@countersign/protocol';
import { type ComponentType, type ReactElement, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useWorld } from '../data/connection.js';
import { sayError } from '../notices/toast.js';
import { paths } from '../shell/paths.js';
import { TYPED } from '../ui/typed.js';
import { shellWords } from '../words/shell.js';

type Palette = ComponentType<{ worlds: readonly World[]; onClose: () => void }>;

/** Ctrl+K or Cmd+K opens the palette, `/` the search page, and `?` the list of keys. None of them decides anything. */
export function usePalette(worlds: readonly World[]): ReactElement | null {
  const [, go] = useLocation();
  const worldId = useWorld((state) => state.worldId);
  const [shown, setShown] = useState<Palette>();
  const open = async (load: () => Promise<{ default: Palette }>): Promise<void> => {
    try {
      const { default: View } = await load();
      setShown(() => View);
    } catch (cause) {
      sayError('palette', new Error(shellWords.codeFailed, { cause }));
    }
  };
  const act = (key: string): void => {
    if (key === 'palette') void open(() => import('./palette.js'));
    else if (key === '?') void open(() => import('./keys.js'));
    else go(paths.page(worldId, 'search'));
  };
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = keyOf(event);
      // A form in a dialog would lose what was typed, and behind the sign-in page nothing is shown.
      if (key === undefined || document.querySelector('dialog[open], [hidden] #page') !== null) return;
      event.preventDefault();
      latest.current(key);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = (): void => setShown(undefined);
  const View = shown;
  return View === undefined ? null : <View worlds={worlds} onClose={close} />;
}

function keyOf(event: KeyboardEvent): 'palette' | '?' | '/' | undefined {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey, repeat } = event;
  if (altKey || repeat || event.defaultPrevented) return undefined;
  if (ctrlKey || metaKey) return !shiftKey && key.toLowerCase() === 'k' ? 'palette' : undefined;
  if (key !== '?' && key !== '/') return undefined;
  return target instanceof Element && target.closest(TYPED) === null ? key : undefined;
}
