import { searchWorlds, writerName, type WorldHit } from '@countersign/client';
import type { SearchHit } from '@countersign/protocol';
import { type ReactElement, useDeferredValue, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useMe } from '../data/me.js';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Failed, Page } from '../shell/frame.js';
import { paths } from '../shell/paths.js';
import { Button } from '../ui/button.js';
import { Card, Empty } from '../ui/card.js';
import { Checkbox, TextField } from '../form/field.js';
import { Clock } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { chatWords } from '../words/chat.js';

const STEP = 50;
const MAX = 1000;

/** Full-text search over all chats in the world, or in all worlds. */
export default function SearchPage(): ReactElement {
  const client = useClient();
  const me = useMe();
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const [, navigate] = useLocation();
  // Stored in the URL, so that going back from a result shows the results again.
  const asked = new URLSearchParams(useSearch());
  const [words, setWords] = useState(asked.get('q') ?? '');
  const [isEverywhere, setIsEverywhere] = useState(asked.has('all'));
  const [limit, setLimit] = useState(STEP);
  const wanted = useDeferredValue(words.trim());
  const hits = useRead({
    key: ['search', worldId],
    revision: `${isEverywhere} ${limit} ${wanted}`,
    read: async (signal): Promise<{ items: readonly (SearchHit & Partial<WorldHit>)[]; more: boolean }> => {
      if (isEverywhere) return await searchWorlds(client, wanted, limit, { signal });
      const { items, next } = await client.search(worldId, wanted, { limit }, { signal });
      return { items, more: next !== undefined };
    },
    enabled: wanted !== '',
  });
  const found = wanted === '' || hits.kind !== 'ready' ? undefined : hits.data;
  const failure = hits.kind === 'failed' ? hits : hits.kind === 'ready' ? hits.failure : undefined;
  const show = (typed: string, all: boolean): void => {
    setWords(typed);
    setIsEverywhere(all);
    setLimit(STEP);
    const query = new URLSearchParams({ ...(typed === '' ? {} : { q: typed }), ...(all ? { all: '1' } : {}) });
    navigate(`${paths.page(worldId, 'search')}${query.size === 0 ? '' : `?${query}`}`, { replace: true });
  };
  return (
    <Page title={chatWords.search}>
      <TextField
        label={isEverywhere ? chatWords.searchAllLabel : chatWords.searchLabel}
        type="search"
        autoFocus
        value={words}
        onChange={(event) => show(event.target.value, isEverywhere)}
      />
      <div className="mt-2">
        <Checkbox
          label={chatWords.allWorlds}
          checked={isEverywhere}
          onChange={(event) => show(words, event.target.checked)}
        />
      </div>
      <div aria-live="polite" className="mt-4 space-y-2">
        {wanted === '' || failure === undefined ? null : <Failed why={failure.why} onRetry={failure.retry} />}
        {found?.items.length === 0 ? <Empty title={chatWords.noHits}>{chatWords.noHitsHint}</Empty> : null}
        {found?.items.map((hit) => (
          <Link
            key={hit.messageId}
            href={paths.message(hit.worldId ?? worldId, hit.chatId, hit.messageId)}
            className="block"
          >
            <Card className="px-4 py-3 text-sm hover:border-line-2">
              <p className="flex items-baseline gap-2 text-[0.8125rem] text-ink-3">
                <bdi className="font-semibold text-ink">
                  {(isOf(hit, worldId) ? agents.find(({ id }) => id === hit.sender)?.name : undefined) ??
                    writerName({ name: hit.sender, who: hit.who }, me) ??
                    chatWords.you}
                </bdi>
                <span className="min-w-0 truncate">
                  {chatWords.in} <Visible text={hit.chatTitle} />
                  {hit.worldName === undefined ? null : (
                    <>
                      {' · '}
                      <Visible text={hit.worldName} />
                    </>
                  )}
                </span>
                <span className="ml-auto">
                  <Clock at={hit.createdAt} />
                </span>
              </p>
              <p className="mt-0.5 [overflow-wrap:anywhere]">
                <Visible text={hit.excerpt} />
              </p>
            </Card>
          </Link>
        ))}
        {found?.more !== true || limit >= MAX ? null : (
          <Button onClick={() => setLimit(limit + STEP)}>{chatWords.showMore}</Button>
        )}
      </div>
    </Page>
  );
}

/** Agents of other worlds can have the same ids. */
function isOf(hit: Partial<WorldHit>, worldId: string): boolean {
  return hit.worldId === undefined || hit.worldId === worldId;
}
