import type { ButtonHTMLAttributes, ReactElement, Ref } from 'react';
import { cx } from './cx.js';
import { Icon } from './icon.js';
import type { IconName } from './icon-paths.js';

type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger' | 'amber';

const LOOKS: Readonly<Record<ButtonLook, string>> = {
  primary: 'bg-blue text-on-blue border-blue hover:bg-blue-strong hover:border-blue-strong',
  plain: 'bg-surface text-ink border-line-2 hover:border-ink-3 hover:bg-sunken',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-surface text-red border-line-2 hover:border-red hover:bg-red-soft',
  amber: 'bg-amber-soft text-amber border-amber-line hover:border-amber',
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  icon?: IconName;
  size?: 'normal' | 'small';
  ref?: Ref<HTMLButtonElement>;
}

/** `type` defaults to `button`: an accidental submit would approve or save something. */
export function Button({
  look = 'plain',
  icon,
  size = 'normal',
  className,
  children,
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors duration-100 disabled:cursor-not-allowed disabled:opacity-55',
        size === 'small' ? 'min-h-8 px-2.5 text-[0.8125rem]' : 'min-h-9 px-3.5 text-sm',
        LOOKS[look],
        className,
      )}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows only an icon. Its name is for screen readers and the tooltip. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: Omit<ButtonProps, 'look' | 'size' | 'children'> & { icon: IconName; label: string }): ReactElement {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={cx(
        'inline-flex size-9 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors duration-100 hover:bg-sunken hover:text-ink disabled:opacity-50',
        className,
      )}
    >
      <Icon name={icon} />
    </button>
  );
}
