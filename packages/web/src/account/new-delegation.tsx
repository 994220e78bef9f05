import { readAll } from '@countersign/client';
import type { Person } from '@countersign/protocol';
import { type ReactElement, type SyntheticEvent, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { useSaving } from '../form/use-saving.js';
import { Button } from '../ui/button.js';
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
  const worlds = useRead({
    key: ['worlds'],
    read: (signal) => readAll((after) => client.worlds({ limit: 200, ...after }, { signal })),
  });
  const [today] = useState(() => dayOf(Date.now()));
  const [to, setTo] = useState(others[0]?.id ?? '');
  const [first, setFirst] = useState(today);
  const [last, setLast] = useState(() => dayOf(Date.now() + 7 * DAY_MS));
  const [tools, setTools] = useState('');
  const [world, setWorld] = useState('');
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    if (first === '') return saving.refuse('from', accountWords.noDay);
    if (last === '') return saving.refuse('until', accountWords.noDay);
    const named = tools.split(/[\s,]+/).filter((tool) => tool !== '');
    const body = {
      to,
      ...(named.length === 0 ? {} : { tools: named }),
      ...(world === '' ? {} : { worlds: [world] }),
      ...(first <= today ? {} : { from: new Date(`${first}T00:00:00.000`).toISOString() }),
      until: new Date(`${last}T23:59:59.999`).toISOString(),
    };
    const name = others.find(({ id }) => id === to)?.name ?? to;
    const isMade = await saving.run(() => client.delegate(body), accountWords.delegated(name));
    if (isMade) onMade();
  };
  return (
    <Dialog title={accountWords.newDelegation} onClose={onClose}>
      <form ref={saving.form} className="space-y-4" onSubmit={(event) => void submit(event)} noValidate>
        <Select
          label={accountWords.whoSigns}
          error={saving.errorOf('to')}
          options={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={accountWords.firstDay}
            type="date"
            min={today}
            error={saving.errorOf('from')}
            value={first}
            onChange={({ target }) => setFirst(target.value)}
          />
          <TextField
            label={accountWords.lastDay}
            type="date"
            min={today}
            error={saving.errorOf('until')}
            value={last}
            onChange={({ target }) => setLast(target.value)}
          />
        </div>
        <TextField
          label={accountWords.toolNames}
          hint={accountWords.toolNamesHint}
          mono
          error={saving.errorOf('tools')}
          autoComplete="off"
          value={tools}
          onChange={({ target }) => setTools(target.value)}
        />
        <Select
          label={accountWords.world}
          error={saving.errorOf('worlds')}
          options={[
            { value: '', label: accountWords.allWorlds },
            ...(worlds.kind === 'ready' ? worlds.data.map(({ id, name }) => ({ value: id, label: name })) : []),
          ]}
          value={world}
          onChange={({ target }) => setWorld(target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{accountWords.cancel}</Button>
          <Button look="primary" type="submit" disabled={saving.busy}>
            {accountWords.delegate}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A day where the browser is, as a date field has it. */
function dayOf(at: number): string {
  const day = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
