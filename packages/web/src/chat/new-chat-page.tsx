import { suggestionsFor } from '@countersign/client';
import { type ReactElement, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient, useOutbox, useOutgoing, useWorld, useWorldStore } from '../data/connection.js';
import { Failed, Loading, Page, TopBar } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { attempt } from '../notices/toast.js';
import { NoticePlace } from '../notices/notice-place.js';
import { paths } from '../shell/paths.js';
import { Avatar } from '../ui/avatar.js';
import { Icon } from '../ui/icon.js';
import { Mark } from '../ui/signature.js';
import { Visible } from '../text/visible.js';
import { Composer } from './composer.js';
import { modeWords } from './mode-words.js';
import { OutgoingRow } from './transcript/outgoing-row.js';
import { DEMO_PROVIDER, DEMO_WORLD } from '../providers/demo.js';
import { composerWords } from '../words/composer.js';

/** A new chat: its agents, the approval mode, and suggestions. */
export default function NewChatPage(): ReactElement {
  const client = useClient();
  const outbox = useOutbox();
  const worldStore = useWorldStore();
  const loading = useWorld((state) => state.loading);
  const worldId = useWorld((state) => state.worldId);
  const world = useWorld((state) => state.world);
  const agents = useWorld((state) => state.agents);
  const [, navigate] = useLocation();
  const draftKey = `new ${worldId}`;
  const all = useOutgoing().filter((message) => message.beginsChat && message.worldId === worldId);
  const begun = all.filter(({ progress }) => progress.kind !== 'sent');
  // Don't navigate for a message sent before this page was opened: a person who comes here wants a new chat.
  const watched = useRef(new Set<string>());
  for (const { clientMessageId } of begun) watched.current.add(clientMessageId);
  const made = all.find(
    ({ clientMessageId, progress }) => progress.kind === 'sent' && watched.current.has(clientMessageId),
  );
  const madeId = made?.chatId;
  useEffect(() => {
    if (madeId !== undefined) navigate(paths.chat(worldId, madeId));
  }, [madeId, worldId, navigate]);
  if (loading.kind !== 'ready')
    return (
      <Page title={composerWords.newChat}>
        {loading.kind === 'loading' ? (
          <Loading what={composerWords.theWorld} />
        ) : (
          <Failed why={loading.why} onRetry={() => worldStore.retryNow()} />
        )}
      </Page>
    );
  const send = async (content: string, files: readonly File[]): Promise<boolean> => {
    if (files.length === 0) {
      outbox.send({ worldId, content });
      return true;
    }
    // Files belong to a chat, so it is created first.
    const starting = client.createChat(worldId).then(async ({ id: chatId }) => {
      const { upload } = await import('./upload-files.js');
      const attachments = await upload(client, { worldId, chatId }, files).catch(async (error: unknown) => {
        await client.deleteChat(worldId, chatId);
        throw error;
      });
      outbox.send({ worldId, chatId, content, attachments });
      navigate(paths.chat(worldId, chatId));
    });
    return await attempt('attach', starting);
  };
  const active = agents.filter((agent) => agent.active);
  const isDemo = active.length > 0 && active.every(({ provider }) => provider === DEMO_PROVIDER);
  // The demo's description says that no agent needs an API key.
  const isOutdated = worldId === DEMO_WORLD && !isDemo;
  const realModel = (
    <Link href={paths.page(worldId, 'start')} className="font-medium text-blue underline">
      {composerWords.realModel}
    </Link>
  );
  return (
    <>
      <TopBar>
        <h1 data-landing="touch" className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">
          {composerWords.newChat}
        </h1>
      </TopBar>
      <div className="scroll-quiet flex min-h-0 flex-1 flex-col overflow-y-auto px-3 sm:px-6">
        <div className="m-auto w-full max-w-[40rem] py-8">
          <Mark className="h-8 text-blue" />
          <h2 className="mt-3 text-2xl font-semibold tracking-tight">
            <bdi>{world?.name ?? worldId}</bdi>
          </h2>
          <p className="mt-1 text-ink-2">{(isOutdated ? undefined : world?.description) ?? composerWords.motto}</p>
          {active.length === 0 ? (
            <p className="mt-6 rounded-lg border border-dashed border-line-2 px-4 py-3 text-sm text-ink-2">
              {composerWords.noAgents(
                realModel,
                <Link href={paths.page(worldId, 'agents')} className="font-medium text-blue underline">
                  {composerWords.addAgent}
                </Link>,
              )}
            </p>
          ) : (
            <ul className="mt-6 divide-y divide-line rounded-lg border border-line bg-surface">
              {active.map((agent) => (
                <li key={agent.id} className="flex items-center gap-3 px-4 py-2.5">
                  <Avatar id={agent.id} name={agent.name} />
                  <span className="min-w-0 flex-1">
                    <bdi className="text-sm font-semibold">{agent.name}</bdi>
                    <span className="block truncate text-[0.8125rem] text-ink-3">
                      {agent.tools.length === 0 ? composerWords.noTools : composerWords.mayCall(agent.tools.join(', '))}
                    </span>
                  </span>
                  {world?.mainAgent === agent.id ? (
                    <span className="text-xs text-ink-3">{composerWords.mainBadge}</span>
                  ) : null}
                </li>
              ))}
            </ul>
          )}
          {isDemo ? (
            <p className="mt-4 rounded-lg border border-line bg-blue-soft px-4 py-3 text-sm text-ink-2">
              {composerWords.demo(realModel)}
            </p>
          ) : active.length > 0 ? (
            <p className="mt-4 text-[0.8125rem] text-ink-3">{composerWords.otherModel(realModel)}</p>
          ) : null}
          <p className="mt-4 flex items-start gap-2 text-[0.8125rem] text-ink-3">
            <Icon name="policy" className="mt-0.5" />
            {modeWords(world?.mode)}
          </p>
        </div>
      </div>
      <div className="shrink-0 px-3 pt-1 pb-3 sm:px-6 sm:pb-4">
        <NoticePlace />
        <div className="mx-auto w-full max-w-[56rem]">
          {begun.map((message) => (
            <OutgoingRow
              key={message.clientMessageId}
              message={message}
              draftKey={draftKey}
              // Shown as plain text: the code that renders Markdown is loaded with the chat, which replaces this page.
              text={
                <div
                  dir="auto"
                  tabIndex={0}
                  className="scroll-quiet prose max-h-[25dvh] overflow-y-auto whitespace-pre-wrap"
                >
                  <Visible text={message.content} />
                </div>
              }
            />
          ))}
        </div>
        <Guarded needs="chat" worldId={worldId}>
          <Composer
            agents={agents}
            mainAgent={world?.mainAgent}
            worldName={world?.name ?? ''}
            draftKey={draftKey}
            suggestions={begun.length === 0 ? suggestionsFor(agents, world?.mainAgent) : []}
            busy={begun.length > 0}
            onSend={send}
          />
        </Guarded>
      </div>
    </>
  );
}
