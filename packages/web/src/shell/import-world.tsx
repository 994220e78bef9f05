import type { ImportedWorld } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextArea } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import { paths } from './paths.js';
import { t } from '../words/shell.js';

/** Larger than any exported world. */
const LONGEST = 8_000_000;

/** Creates a world from a file. Allow rules and other permissions are only proposed, and listed here. */
export default function ImportWorld({ onClose }: { onClose: () => void }): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<ImportedWorld>();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > LONGEST) {
      setError(t.tooLong);
      return;
    }
    setError(undefined);
    setText(await file.text());
  };
  const bring = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setMade(await client.importWorld(text));
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : t.importFailed);
    }
    setBusy(false);
  };
  if (made !== undefined) {
    // Don't do this earlier: if there were no worlds, refreshing the list would unmount the page that contains this dialog.
    const leave = (to?: string): void => {
      void queries.invalidateQueries({ queryKey: ['worlds'] });
      onClose();
      if (to !== undefined) navigate(to);
    };
    return (
      <Dialog title={t.imported} onClose={() => leave()}>
        <Imported world={made} />
        <div className="mt-4 flex justify-end gap-2">
          {made.proposed.length === 0 ? null : (
            <Button onClick={() => leave(paths.page(made.id, 'policy'))}>{t.reviewRules}</Button>
          )}
          <Button look="primary" onClick={() => leave(paths.world(made.id))}>
            {t.openWorld}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.importTitle} onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          void bring();
        }}
      >
        <p className="text-sm text-ink-2">{t.importLead}</p>
        <label className="block text-sm font-medium">
          {t.file}
          <input
            type="file"
            accept=".yaml,.yml,application/yaml,text/yaml"
            onChange={(event) => void take(event.target.files?.[0])}
            className="mt-1 block w-full text-sm font-normal text-ink-2 file:mr-3 file:min-h-9 file:rounded-md file:border file:border-line-2 file:bg-surface file:px-3.5 file:text-sm file:font-medium file:text-ink"
          />
        </label>
        <TextArea
          label={t.orText}
          mono
          rows={10}
          value={text}
          error={error}
          onChange={(event) => {
            setText(event.target.value);
            setError(undefined);
          }}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="primary" type="submit" disabled={busy || text.trim() === ''}>
            {t.import}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Imported({ world }: { world: ImportedWorld }): ReactElement {
  return (
    <div className="space-y-3 text-sm">
      <p>
        {t.importedAs(
          <bdi className="font-semibold">
            <Visible text={world.name} />
          </bdi>,
          world.proposed.length,
        )}
      </p>
      {world.notes.length === 0 ? null : (
        <ul className="list-disc space-y-1 pl-5 text-ink-2">
          {world.notes.map((note) => (
            <li key={note} className="[overflow-wrap:anywhere]">
              <Visible text={note} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
