import type { World } from '@countersign/protocol';
import { type ComponentType, type ReactElement, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useWorld } from '../data/connection.js';
import { sayError } from '../notices/toast.js';
import { paths } from '../shell/paths.js';
import { Dialog } from '../ui/dialog.js';
import { TYPED } from '../ui/typed.js';
import { shellWords } from '../words/shell.js';

type Palette = ComponentType<{ worlds: readonly World[]; onClose: () => void }>;

/** Ctrl+K or Cmd+K opens the palette, `/` the search page, and `?` the list of keys. None of them decides anything. */
export function usePalette(worlds: readonly World[]): ReactElement | null {
  const [, go] = useLocation();
  const worldId = useWorld((state) => state.worldId);
  const [shown, setShown] = useState<'keys' | Palette>();
  const open = async (): Promise<void> => {
    try {
      const { default: View } = await import('./palette.js');
      setShown(() => View);
    } catch (cause) {
      sayError('palette', new Error(shellWords.codeFailed, { cause }));
    }
  };
  const act = (key: string): void => {
    if (key === 'palette') void open();
    else if (key === '?') setShown('keys');
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
  if (shown === undefined) return null;
  if (shown === 'keys') return <Keys onClose={close} />;
  const View = shown;
  return <View worlds={worlds} onClose={close} />;
}

function keyOf(event: KeyboardEvent): 'palette' | '?' | '/' | undefined {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey, repeat } = event;
  if (altKey || repeat || event.defaultPrevented) return undefined;
  if (ctrlKey || metaKey) return !shiftKey && key.toLowerCase() === 'k' ? 'palette' : undefined;
  if (key !== '?' && key !== '/') return undefined;
  return target instanceof Element && target.closest(TYPED) === null ? key : undefined;
}

function Keys({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Dialog title={shellWords.keysTitle} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
        {shellWords.keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-sm border border-line-2 bg-sunken px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
            </dt>
            <dd className="text-ink-2">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
