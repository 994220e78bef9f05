import type { World } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useClient } from '../data/connection.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { useSaving } from '../form/use-saving.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../form/field.js';
import { shellWords } from '../words/shell.js';

export function NewWorld({ onClose, onMade }: { onClose: () => void; onMade: (world: World) => void }): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const { values, text } = useFields(saving, () => ({ name: '', workingDirectory: '' }));
  const name = values.name.trim();
  const make = async (): Promise<void> => {
    const workingDirectory = values.workingDirectory.trim();
    const world = { name, ...(workingDirectory === '' ? {} : { workingDirectory }) };
    await saving.load(async () => onMade(await client.createWorld(world)));
  };
  return (
    <Dialog title={shellWords.newWorld} onClose={onClose}>
      <Form saving={saving} submit={shellWords.createWorld} onCancel={onClose} disabled={name === ''} onSubmit={make}>
        <TextField label={shellWords.name} required {...text('name')} />
        <TextField label={shellWords.workingFolder} mono hint={shellWords.folderHint} {...text('workingDirectory')} />
      </Form>
    </Dialog>
  );
}
