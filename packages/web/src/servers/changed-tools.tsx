import type { McpServer } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Visible } from '../text/visible.js';
import { serverWords } from '../words/servers.js';

/** A server's tool definitions that nobody has accepted. */
export function ChangedTools({ changed }: Pick<McpServer, 'changed'>): ReactElement {
  return (
    <>
      {changed.map(({ tool, difference }) => (
        <p key={tool} className="text-amber [overflow-wrap:anywhere]">
          {serverWords.changed(tool, <Visible text={difference} />)}
        </p>
      ))}
    </>
  );
}
