import type { PushDevice } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { TextField } from '../form/field.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { useSaving } from '../form/use-saving.js';
import { Dialog } from '../ui/dialog.js';
import { accountWords } from '../words/account.js';

/** When a device is told of nothing new (PUSH3.5), in the time zone of this browser. */
export function QuietHoursDialog({
  device: { id, quietHours },
  onSaved,
  onClose,
}: {
  device: PushDevice;
  onSaved: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { values, text } = useFields(saving, () => ({
    from: quietHours?.from ?? '22:00',
    until: quietHours?.until ?? '07:00',
  }));
  const submit = async (): Promise<void> => {
    const { from, until } = values;
    const chosen = from === '' && until === '' ? null : { from, until, timeZone };
    if (await saving.run(() => client.setQuietHours(id, chosen), accountWords.quietSaved)) onSaved();
  };
  return (
    <Dialog title={accountWords.quietHours} onClose={onClose}>
      <Form saving={saving} submit={accountWords.saveQuiet} onCancel={onClose} onSubmit={submit} noValidate>
        <p className="text-sm">{accountWords.quietLead(timeZone)}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={accountWords.quietFrom} type="time" {...text('from', 'quietHours.from')} />
          <TextField label={accountWords.quietUntil} type="time" {...text('until', 'until')} />
        </div>
      </Form>
    </Dialog>
  );
}
