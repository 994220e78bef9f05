import type { FormHTMLAttributes, ReactElement } from 'react';
import { Button } from '../ui/button.js';
import { commonWords } from '../words/common.js';
import type { Saving } from './use-saving.js';

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  /** Without it, the form shows its errors itself. */
  saving?: Pick<Saving, 'form' | 'busy'>;
  /** The text of the button that submits. Without it, the form has its own buttons. */
  submit?: string;
  cancel?: string;
  onCancel?: (() => void) | undefined;
  disabled?: boolean;
  onSubmit: () => unknown;
}

/** A form that reports its submission, with its buttons. */
export function Form({
  saving,
  submit,
  cancel = commonWords.cancel,
  onCancel,
  disabled = false,
  onSubmit,
  children,
  ...rest
}: FormProps): ReactElement {
  return (
    <form
      className="space-y-4"
      {...rest}
      ref={saving?.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {submit === undefined ? null : (
        <div className="flex justify-end gap-2">
          {onCancel === undefined ? null : <Button onClick={onCancel}>{cancel}</Button>}
          <Button look="primary" type="submit" disabled={saving?.busy === true || disabled}>
            {submit}
          </Button>
        </div>
      )}
    </form>
  );
}
