import { writerName } from '@countersign/client';
import { type ReactElement, useDeferredValue, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useMe } from '../data/me.js';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { Failed, Page } from '../shell/frame.js';
import { paths } from '../shell/paths.js';
import { Button } from '../ui/button.js';
import { Card, Empty } from '../ui/card.js';
import { TextField } from '../form/field.js';
import { Clock } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { chatWords } from '../words/chat.js';

const STEP = 50;
const MAX = 1000;

/** Full-text search over all chats in the world. */
export default function SearchPage(): ReactElement {
  const client = useClient();
  const me = useMe();
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const [, navigate] = useLocation();
  // Stored in the URL, so that going back from a result shows the results again.
  const [words, setWords] = useState(new URLSearchParams(useSearch()).get('q') ?? '');
  const [limit, setLimit] = useState(STEP);
  const wanted = useDeferredValue(words.trim());
  const hits = useRead({
    key: ['search', worldId],
    revision: `${limit} ${wanted}`,
    read: (signal) => client.search(worldId, wanted, { limit }, { signal }),
    enabled: wanted !== '',
  });
  const found = wanted === '' || hits.kind !== 'ready' ? undefined : hits.data;
  const failure = hits.kind === 'failed' ? hits : hits.kind === 'ready' ? hits.failure : undefined;
  return (
    <Page title={chatWords.search}>
      <TextField
        label={chatWords.searchLabel}
        type="search"
        autoFocus
        value={words}
        onChange={(event) => {
          const typed = event.target.value;
          setWords(typed);
          setLimit(STEP);
          navigate(`${paths.page(worldId, 'search')}${typed === '' ? '' : `?q=${encodeURIComponent(typed)}`}`, {
            replace: true,
          });
        }}
      />
      <div aria-live="polite" className="mt-4 space-y-2">
        {wanted === '' || failure === undefined ? null : <Failed why={failure.why} onRetry={failure.retry} />}
        {found?.items.length === 0 ? <Empty title={chatWords.noHits}>{chatWords.noHitsHint}</Empty> : null}
        {found?.items.map((hit) => (
          <Link key={hit.messageId} href={paths.message(worldId, hit.chatId, hit.messageId)} className="block">
            <Card className="px-4 py-3 text-sm hover:border-line-2">
              <p className="flex items-baseline gap-2 text-[0.8125rem] text-ink-3">
                <bdi className="font-semibold text-ink">
                  {agents.find(({ id }) => id === hit.sender)?.name ??
                    writerName({ name: hit.sender, who: hit.who }, me) ??
                    chatWords.you}
                </bdi>
                <span className="min-w-0 truncate">
                  {chatWords.in} <Visible text={hit.chatTitle} />
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
        {found?.next === undefined || limit >= MAX ? null : (
          <Button onClick={() => setLimit(limit + STEP)}>{chatWords.showMore}</Button>
        )}
      </div>
    </Page>
  );
}
