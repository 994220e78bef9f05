import type { ReactElement } from 'react';
import { Dialog } from '../ui/dialog.js';
import { paletteWords } from '../words/palette.js';

/** The keys that work on every page. */
export default function Keys({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Dialog title={paletteWords.keysTitle} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
        {paletteWords.keys.map(([key, what]) => (
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
