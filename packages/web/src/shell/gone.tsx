import type { World } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import { Link } from 'wouter';
import { useWorld } from '../data/connection.js';
import { Mark } from '../ui/signature.js';
import { Visible } from '../text/visible.js';
import { paths } from './paths.js';
import { shellWords } from '../words/shell.js';

/** Shown for a world that was deleted or never existed. */
export function Gone({ worlds }: { worlds: readonly World[] }): ReactElement {
  const queries = useQueryClient();
  const worldId = useWorld((state) => state.worldId);
  const name = useWorld((state) => state.world?.name);
  const others = worlds.filter(({ id }) => id !== worldId);
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['worlds'] });
  }, [queries]);
  return (
    <main className="flex h-full items-center justify-center p-4">
      <div className="max-w-md">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-lg font-semibold">
          {name === undefined
            ? shellWords.noSuchWorld(<Visible text={worldId} />)
            : shellWords.deletedWorld(<Visible text={name} />)}
        </h1>
        {others.length === 0 ? (
          <p className="mt-2 text-ink-2">
            <Link href="/" className="text-blue underline">
              {shellWords.createAnother}
            </Link>
          </p>
        ) : (
          <>
            <p className="mt-2 text-ink-2">{shellWords.otherWorlds}</p>
            <ul className="mt-1 list-disc pl-5">
              {others.slice(0, 10).map(({ id, name: other }) => (
                <li key={id}>
                  <Link href={paths.world(id)} className="text-blue underline">
                    {other}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </main>
  );
}
