import { externalAgent, suggestionsFor } from '@countersign/client';
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import { useSearch } from 'wouter';
import { ReviewContext } from '../approvals/review.js';
import { WaitingBar } from '../approvals/waiting-bar.js';
import { WaitingColumn } from '../approvals/waiting-column.js';
import {
  ChatContext,
  useClient,
  useChat,
  useOpened,
  useOutbox,
  useOutgoing,
  useWorld,
  useWorldStore,
} from '../data/connection.js';
import { Failed, Loading, Page, TopBar } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { NoticePlace } from '../notices/notice-place.js';
import { attempt } from '../notices/toast.js';
import { DESKTOP, useMedia } from '../shell/use-media.js';
import { ChatHeader } from './chat-header.js';
import { Composer } from './composer.js';
import { NoMessages } from './no-messages.js';
import { takesSentences, TellAgent } from './tell-agent.js';
import { TimelineDialog } from './timeline/timeline-dialog.js';
import { Transcript } from './transcript/transcript.js';
import { WaitingNote } from './waiting-note.js';
import { chatWords } from '../words/chat.js';

export default function ChatPage({ chatId }: { chatId: string }): ReactElement {
  const world = useWorldStore();
  const store = useOpened(() => world.openChat(chatId), chatId);
  if (store === undefined) return <Loading what={chatWords.theChat} />;
  return (
    <ChatContext value={store}>
      <OpenChat />
    </ChatContext>
  );
}

function OpenChat(): ReactElement {
  const isDesktop = useMedia(DESKTOP);
  const client = useClient();
  const outbox = useOutbox();
  const loading = useChat((state) => state.loading);
  const deleted = useChat((state) => state.deleted);
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agents = useChat((state) => state.agents);
  const isQuiet = useChat((state) => state.transcript.length === 0 && state.status === 'idle');
  const external = useChat(externalAgent);
  const isEmpty = !useOutgoing().some((message) => message.chatId === chatId) && isQuiet;
  const worldStore = useWorldStore();
  const mainAgent = useWorld((state) => state.world?.mainAgent);
  const [wanted, setWanted] = useState<{ id: string }>();
  const [timeline, setTimeline] = useState(false);
  const search = new URLSearchParams(useSearch());
  const wantedMessage = search.get('message') ?? search.get('call') ?? undefined;
  const linked = search.get('approval');
  const isLinkedWaiting = useChat((state) => linked !== null && state.queue.includes(linked));
  useEffect(() => {
    if (linked !== null && isLinkedWaiting) setWanted({ id: linked });
  }, [linked, isLinkedWaiting]);
  const review = useCallback((id: string) => setWanted({ id }), []);
  const forget = useCallback(() => setWanted(undefined), []);
  const suggestions = useMemo(() => (isEmpty ? suggestionsFor(agents, mainAgent) : []), [isEmpty, agents, mainAgent]);
  const send = async (content: string, files: readonly File[]): Promise<boolean> => {
    if (files.length === 0) {
      outbox.send({ worldId, chatId, content });
      return true;
    }
    const uploading = import('./upload-files.js').then(async ({ upload }) => {
      const attachments = await upload(client, { worldId, chatId }, files);
      outbox.send({ worldId, chatId, content, attachments });
    });
    return await attempt('attach', uploading);
  };

  if (deleted || loading.kind === 'failed')
    return (
      <Page title={chatWords.chat}>
        {deleted ? (
          <Failed why={chatWords.deletedChat} />
        ) : (
          <Failed why={loading.kind === 'failed' ? loading.why : ''} onRetry={() => worldStore.retryNow()} />
        )}
      </Page>
    );
  return (
    <ReviewContext value={review}>
      <div className="flex min-h-0 min-w-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <TopBar>
            <ChatHeader onTimeline={() => setTimeline(true)} />
          </TopBar>
          {loading.kind === 'loading' ? (
            <div className="flex-1">
              <Loading what={chatWords.theChat} />
            </div>
          ) : (
            <Transcript wanted={wantedMessage} />
          )}
          <div className="shrink-0 px-3 pt-1 pb-3 sm:px-6 sm:pb-4">
            <NoticePlace />
            <WaitingNote />
            {isDesktop ? null : <WaitingBar wanted={wanted} onWantedShown={forget} />}
            {external === undefined ? (
              <Guarded needs="chat" worldId={worldId}>
                <Composer
                  key={chatId}
                  agents={agents}
                  mainAgent={mainAgent}
                  worldName={worldStore.getState().world?.name ?? ''}
                  draftKey={chatId}
                  suggestions={suggestions}
                  floating
                  onSend={send}
                />
              </Guarded>
            ) : (
              <>
                {takesSentences(external) ? (
                  <Guarded needs="sign" worldId={worldId}>
                    <TellAgent key={chatId} agent={external} worldId={worldId} chatId={chatId} />
                  </Guarded>
                ) : null}
                <NoMessages agent={external} agents={agents} worldId={worldId} />
              </>
            )}
          </div>
        </div>
        {isDesktop ? <WaitingColumn wanted={wanted} onWantedShown={forget} /> : null}
      </div>
      {timeline ? <TimelineDialog onClose={() => setTimeline(false)} /> : null}
    </ReviewContext>
  );
}
