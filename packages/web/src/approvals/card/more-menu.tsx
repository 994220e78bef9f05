import type { ReactElement } from 'react';
import { Button } from '../../ui/button.js';
import { Menu, type MenuEntry } from '../../ui/menu.js';
import { approvalWords } from '../../words/approvals.js';

/** Choices that cover more than this call, or change it. None of them decides; each opens a form. */
export function MoreMenu({ disabled, entries }: { disabled: boolean; entries: readonly MenuEntry[] }): ReactElement {
  return (
    <div className="grid">
      <Menu
        // Opens away from the bar: otherwise, a second click on a button there would hit a menu entry.
        side="top"
        trigger={
          <Button
            icon="down"
            aria-label={approvalWords.moreChoices}
            title={approvalWords.moreChoices}
            disabled={disabled}
          />
        }
        entries={entries}
      />
    </div>
  );
}
