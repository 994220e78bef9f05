import { DropdownMenu } from 'radix-ui';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { cx } from './cx.js';
import { Icon } from './icon.js';
import type { IconName } from './icon-paths.js';

export interface MenuEntry {
  label: string;
  icon?: IconName;
  danger?: boolean;
  checked?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

/**
 * Not `modal`: its scroll lock is a style element, which our content security policy blocks. Rendered next to its button: at the end of the
 * page, it would be under a dialog and outside every landmark.
 */
export function Menu({
  trigger,
  entries,
  align = 'end',
  side = 'bottom',
}: {
  trigger: ReactNode;
  entries: readonly MenuEntry[];
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
}): ReactElement {
  const chosen = useRef<() => void>(undefined);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content
        align={align}
        side={side}
        sideOffset={4}
        collisionPadding={8}
        // Wait until the button has the focus again: a dialog opened earlier could not restore it.
        onCloseAutoFocus={() => {
          const act = chosen.current;
          chosen.current = undefined;
          if (act !== undefined) queueMicrotask(act);
        }}
        className="scroll-quiet z-50 max-h-80 min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-card"
      >
        {entries.map((entry) => (
          <DropdownMenu.Item
            key={entry.label}
            disabled={entry.disabled === true}
            onSelect={() => {
              chosen.current = entry.onSelect;
            }}
            className={cx(
              'flex min-h-9 items-center gap-2 rounded-md px-2.5 text-sm outline-none select-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-55 data-[highlighted]:bg-blue-soft',
              entry.danger === true ? 'text-red' : 'text-ink',
            )}
          >
            {entry.icon === undefined ? null : <Icon name={entry.icon} />}
            <span className="min-w-0 flex-1 truncate">{entry.label}</span>
            {entry.checked === true ? <Icon name="check" className="text-blue" /> : null}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
