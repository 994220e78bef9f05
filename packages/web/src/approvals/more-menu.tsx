import type { ReactElement } from 'react';
import { Button } from '../ui/button.js';
import { Menu, type MenuEntry } from '../ui/menu.js';
import { t } from '../words/approvals.js';

/** The choices that reach further than this one call, or change it. None of them decides: each opens a form. */
export function MoreMenu({ disabled, entries }: { disabled: boolean; entries: readonly MenuEntry[] }): ReactElement {
  return (
    <div className="grid">
      <Menu
        // Away from the bar: an entry over a button would be hit by a second click there.
        side="top"
        trigger={
          <Button
            icon="down"
            aria-label={t.moreChoices}
            title={t.moreChoices}
            disabled={disabled || entries.length === 0}
          />
        }
        entries={entries}
      />
    </div>
  );
}
