import { type Action, whoToAsk } from '@countersign/protocol';
import type { ReactElement, ReactNode } from 'react';
import { useMay } from '../data/me.js';
import { usePeople } from '../data/use-lists.js';
import { Note } from '../notices/note.js';
import { shellWords } from '../words/shell.js';

/**
 * Controls that need a role, in a world or on the server. For everyone else, they are disabled, and a note says who may use them. The server
 * checks each request anyway (WHO4.2).
 */
export function Guarded({
  needs,
  worldId,
  children,
}: {
  needs: Exclude<Action, 'read'>;
  worldId?: string;
  children: ReactNode;
}): ReactElement {
  if (useMay(needs, worldId)) return <>{children}</>;
  return (
    <>
      <div className="mb-4">
        <WhoMay needs={needs} worldId={worldId} />
      </div>
      <fieldset disabled className="min-w-0">
        {children}
      </fieldset>
    </>
  );
}

/** "Only approvers can do this here. Ask Ada Lovelace or Bob." */
export function WhoMay({
  needs,
  worldId,
}: {
  needs: Exclude<Action, 'read'>;
  worldId?: string | undefined;
}): ReactElement {
  const people = usePeople();
  const all = people.kind === 'ready' ? people.data.map((person) => ({ status: 'active' as const, ...person })) : [];
  return <Note>{shellWords.whoMay(needs, worldId !== undefined, whoToAsk(all, needs, worldId))}</Note>;
}
