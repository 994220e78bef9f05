import {
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { cx } from '../ui/cx.js';
import { visibleText } from '../text/visible-parts.js';
import { Visible } from '../text/visible.js';

export const fieldBox =
  'w-full rounded-md border border-line-2 bg-surface px-3 text-ink hover:border-ink-3 disabled:opacity-60 aria-invalid:border-red';

interface Frame {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

interface Ids {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export function Framed({ label, hint, error, children }: Frame & { children: (ids: Ids) => ReactNode }): ReactElement {
  const id = useId();
  const said = hint !== undefined || error !== undefined;
  return (
    <div data-field className="block">
      <label htmlFor={id} className="mb-1 block text-sm font-medium text-ink">
        <Visible text={label} />
      </label>
      {children({
        id,
        'aria-describedby': said ? `${id}-said` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {said ? (
        <p id={`${id}-said`} className={cx('mt-1 text-[0.8125rem]', error === undefined ? 'text-ink-3' : 'text-red')}>
          {error === undefined ? hint : <Visible text={error} />}
        </p>
      ) : null}
    </div>
  );
}

type TextProps<Attributes> = Frame & { mono?: boolean } & Attributes;

export function TextField(props: TextProps<InputHTMLAttributes<HTMLInputElement>>): ReactElement {
  const { label, hint, error, mono = false, className, ...rest } = props;
  return (
    <Framed label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          type="text"
          {...rest}
          {...ids}
          className={cx(fieldBox, 'h-9', mono ? 'font-mono text-[0.8125rem]' : 'text-sm', className)}
        />
      )}
    </Framed>
  );
}

export function TextArea(props: TextProps<TextareaHTMLAttributes<HTMLTextAreaElement>>): ReactElement {
  const { label, hint, error, mono = false, className, ...rest } = props;
  const look = mono ? 'font-mono text-[0.8125rem] leading-relaxed' : 'text-sm';
  return (
    <Framed label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          spellCheck={!mono}
          {...rest}
          {...ids}
          className={cx(fieldBox, 'scroll-quiet block py-2', look, className)}
        />
      )}
    </Framed>
  );
}

export function Select({
  label,
  hint,
  error,
  options,
  className,
  ...rest
}: Frame & {
  options: readonly { value: string; label: string }[];
} & SelectHTMLAttributes<HTMLSelectElement>): ReactElement {
  return (
    <Framed label={label} hint={hint} error={error}>
      {(ids) => (
        <select {...rest} {...ids} className={cx(fieldBox, 'h-9 text-sm', className)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {visibleText(option.label)}
            </option>
          ))}
        </select>
      )}
    </Framed>
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: { label: ReactNode; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>): ReactElement {
  return (
    <label className="flex items-start gap-2 text-sm">
      <input type="checkbox" {...rest} className="mt-1 size-4 shrink-0 accent-blue" />
      <span>
        <span className="text-ink">{label}</span>
        {hint === undefined ? null : <span className="block text-[0.8125rem] text-ink-3">{hint}</span>}
      </span>
    </label>
  );
}
