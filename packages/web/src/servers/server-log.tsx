import type { ReactElement } from 'react';
import { NotRead } from '../shell/frame.js';
import { Dialog } from '../ui/dialog.js';
import { Visible } from '../text/visible.js';
import { type ServerDialogProps, useServer } from './use-server.js';
import { serverWords } from '../words/servers.js';

/** The latest output of an MCP server, with secrets already masked by our server. */
export function ServerLog({ worldId, name, onClose }: ServerDialogProps): ReactElement {
  const server = useServer(worldId, name, 'polled');
  const lines = server.kind === 'ready' ? (server.data.value.log ?? []) : [];
  return (
    <Dialog title={serverWords.logTitle(name)} onClose={onClose}>
      {server.kind === 'ready' ? null : <NotRead read={server} what={serverWords.theServer} />}
      {server.kind === 'ready' ? (
        <div className="space-y-3 text-sm">
          {server.data.value.sandbox === undefined ? null : (
            <p className="text-ink-2 [overflow-wrap:anywhere]">
              {serverWords.sandbox} <Visible text={server.data.value.sandbox} />
            </p>
          )}
          {lines.length === 0 ? (
            <p className="text-ink-2">{serverWords.noLog}</p>
          ) : (
            // A scroll area must be focusable to be scrolled with the keyboard.
            <pre
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              tabIndex={0}
              role="log"
              aria-label={serverWords.logTitle(name)}
              className="code scroll-quiet max-h-[50dvh] overflow-auto rounded-md border border-line bg-sunken p-3 text-[0.8125rem] leading-relaxed"
            >
              <Visible text={lines.join('\n')} />
            </pre>
          )}
        </div>
      ) : null}
    </Dialog>
  );
}
