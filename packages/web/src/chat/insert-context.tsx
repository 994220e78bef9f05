import { readAll } from '@countersign/client';
import { lazy, type ReactElement, Suspense, useEffect, useState } from 'react';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { composerWords } from '../words/composer.js';

const InsertDialog = lazy(() => import('../servers/insert-dialog.js'));

/** Offers the prompts and resources of the world's MCP servers. Shows nothing if no server is enabled. */
export function InsertContext({ onInsert }: { onInsert: (text: string) => void }): ReactElement | null {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const revision = useWorld((state) => state.revisions['mcp-server'] ?? 0);
  const [isOpen, setOpen] = useState(false);
  const [inserted, setInserted] = useState<string>();
  // After the dialog has closed: it restores the focus, and until then, nothing behind it can get the focus.
  useEffect(() => {
    if (inserted === undefined) return;
    setInserted(undefined);
    onInsert(inserted);
  }, [inserted]);
  const read = useRead({
    key: ['servers-to-insert-from', worldId],
    revision,
    read: (signal) => readAll((after) => client.mcpServers(worldId, after, { signal })),
    once: true,
  });
  const servers = read.kind === 'ready' ? read.data.filter(({ enabled }) => enabled) : [];
  if (servers.length === 0) return null;
  return (
    <>
      <button
        type="button"
        title={composerWords.insertFromServerHint}
        onClick={() => setOpen(true)}
        className="ml-auto min-h-6 shrink-0 font-medium text-blue hover:underline"
      >
        {composerWords.insertFromServer}
      </button>
      {isOpen ? (
        <Suspense>
          <InsertDialog
            worldId={worldId}
            servers={servers}
            onClose={() => setOpen(false)}
            onInsert={(text) => {
              setOpen(false);
              setInserted(text);
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}
