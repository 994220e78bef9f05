import type { Person } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useWorlds } from '../data/use-lists.js';
import { useSaving } from '../form/use-saving.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { Dialog } from '../ui/dialog.js';
import { Select, TextField } from '../form/field.js';
import { accountWords } from '../words/account.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Lets someone else sign for the person. If the person has a trusted passkey, it confirms this. */
export function NewDelegation({
  others,
  onMade,
  onClose,
}: {
  others: readonly Person[];
  onMade: () => void;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const worlds = useWorlds();
  const [today] = useState(() => dayOf(Date.now()));
  const { values, text } = useFields(saving, () => ({
    to: others[0]?.id ?? '',
    from: today,
    until: dayOf(Date.now() + 7 * DAY_MS),
    tools: '',
    world: '',
  }));
  const submit = async (): Promise<void> => {
    const { to, from, until, tools, world } = values;
    if (from === '') return saving.refuse('from', accountWords.noDay);
    if (until === '') return saving.refuse('until', accountWords.noDay);
    const named = tools.split(/[\s,]+/).filter((tool) => tool !== '');
    const body = {
      to,
      ...(named.length === 0 ? {} : { tools: named }),
      ...(world === '' ? {} : { worlds: [world] }),
      ...(from <= today ? {} : { from: new Date(`${from}T00:00:00.000`).toISOString() }),
      until: new Date(`${until}T23:59:59.999`).toISOString(),
    };
    const name = others.find(({ id }) => id === to)?.name ?? to;
    const isMade = await saving.run(() => client.delegate(body), accountWords.delegated(name));
    if (isMade) onMade();
  };
  return (
    <Dialog title={accountWords.newDelegation} onClose={onClose}>
      <Form saving={saving} submit={accountWords.delegate} onCancel={onClose} onSubmit={submit} noValidate>
        <Select
          label={accountWords.whoSigns}
          options={others.map(({ id, name }) => ({ value: id, label: name }))}
          {...text('to')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={accountWords.firstDay} type="date" min={today} {...text('from')} />
          <TextField label={accountWords.lastDay} type="date" min={today} {...text('until')} />
        </div>
        <TextField
          label={accountWords.toolNames}
          hint={accountWords.toolNamesHint}
          mono
          autoComplete="off"
          {...text('tools')}
        />
        <Select
          label={accountWords.world}
          options={[
            { value: '', label: accountWords.allWorlds },
            ...(worlds.kind === 'ready' ? worlds.data.map(({ id, name }) => ({ value: id, label: name })) : []),
          ]}
          {...text('world', 'worlds')}
        />
      </Form>
    </Dialog>
  );
}

/** A day where the browser is, as a date field has it. */
function dayOf(at: number): string {
  const day = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
