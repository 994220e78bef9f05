import type { ImportedWorld } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { errorText } from '../data/error-text.js';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { FileForm } from '../form/file-form.js';
import { Visible } from '../text/visible.js';
import { paths } from './paths.js';
import { shellWords } from '../words/shell.js';

/** Larger than any exported world. */
const LARGEST = 8_000_000;

/** Creates a world from a file. Allow rules and other permissions are only proposed, and listed here. */
export default function ImportWorld({ onClose }: { onClose: () => void }): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<ImportedWorld>();
  const bring = async (text: string): Promise<string | undefined> => {
    try {
      setMade(await client.importWorld(text));
      return undefined;
    } catch (cause) {
      return errorText(cause);
    }
  };
  if (made !== undefined) {
    // Don't do this earlier: if there were no worlds, refreshing the list would unmount the page that contains this dialog.
    const leave = (to?: string): void => {
      void queries.invalidateQueries({ queryKey: ['worlds'] });
      onClose();
      if (to !== undefined) navigate(to);
    };
    return (
      <Dialog title={shellWords.imported} onClose={() => leave()}>
        <Imported world={made} />
        <div className="mt-4 flex justify-end gap-2">
          {made.proposed.length === 0 ? null : (
            <Button onClick={() => leave(paths.page(made.id, 'policy'))}>{shellWords.reviewRules}</Button>
          )}
          <Button look="primary" onClick={() => leave(paths.world(made.id))}>
            {shellWords.openWorld}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={shellWords.importTitle} onClose={onClose}>
      <FileForm
        words={{
          lead: shellWords.importLead,
          file: shellWords.file,
          paste: shellWords.orText,
          tooLarge: shellWords.tooLong,
          submit: shellWords.import,
        }}
        accept=".yaml,.yml,application/yaml,text/yaml"
        largestBytes={LARGEST}
        onSubmit={bring}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function Imported({ world }: { world: ImportedWorld }): ReactElement {
  return (
    <div className="space-y-3 text-sm">
      <p>
        {shellWords.importedAs(
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
