import type { ReactElement, ReactNode } from 'react';
import { Button, type ButtonProps } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { commonWords } from '../words/common.js';

/** Asks before something happens. `busy`: the button keeps the focus and does nothing. */
export function Confirm({
  title,
  action,
  look = 'danger',
  icon,
  disabled = false,
  busy = false,
  cancel = commonWords.cancel,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The button that confirms. Absent while there is nothing to confirm. */
  action: string | undefined;
  disabled?: boolean;
  busy?: boolean;
  cancel?: string;
  onConfirm: () => unknown;
  onClose: () => void;
  children: ReactNode;
} & Pick<ButtonProps, 'look' | 'icon'>): ReactElement {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="space-y-3 text-sm [overflow-wrap:anywhere]">
        {typeof children === 'string' ? <p>{children}</p> : children}
      </div>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{cancel}</Button>
        {action === undefined ? null : (
          <Button
            look={look}
            {...(icon === undefined ? {} : { icon })}
            disabled={disabled}
            aria-disabled={busy}
            onClick={() => (busy ? undefined : onConfirm())}
          >
            {action}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
