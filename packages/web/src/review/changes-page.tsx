import {
  agentName,
  callLine,
  chatChanges,
  type ChangingCall,
  decisionStory,
  nameOf,
  agoText,
  readAll,
} from '@countersign/client';
import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import { EffectView } from '../calls/effect-view.js';
import { Undo } from '../calls/undo-dialog.js';
import { ChatContext, useChat, useChatStore, useClient, useOpened, useWorldStore } from '../data/connection.js';
import { useMay, useMe } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { attempt } from '../notices/toast.js';
import { Failed, Loading, Page } from '../shell/frame.js';
import { paths } from '../shell/paths.js';
import { Ago, useNow } from '../text/time.js';
import { IconLine } from '../text/icon-line.js';
import { Visible } from '../text/visible.js';
import { Button } from '../ui/button.js';
import { Card, Empty } from '../ui/card.js';
import { SignatureLine } from '../ui/signature.js';
import { changesWords } from '../words/changes.js';

/** What the calls of a chat changed. A run has a chat of its own. */
export default function ChangesPage({ chatId }: { chatId: string }): ReactElement {
  const world = useWorldStore();
  const store = useOpened(() => world.openChat(chatId), chatId);
  if (store === undefined) return <Loading what={changesWords.theChanges} />;
  return (
    <ChatContext value={store}>
      <Changes />
    </ChatContext>
  );
}

function Changes(): ReactElement {
  const client = useClient();
  const store = useChatStore();
  const worldStore = useWorldStore();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const title = useChat((state) => state.title);
  const loading = useChat((state) => state.loading);
  const deleted = useChat((state) => state.deleted);
  const older = useChat((state) => state.older.kind);
  const invocations = useChat((state) => state.invocations);
  const approvals = useChat((state) => state.approvals);
  const ended = useChat((state) => state.invocations.size - state.openInvocations.length);
  const undoable = useRead({
    key: ['undoable', worldId],
    // A call can be undone as soon as it has ended.
    revision: ended,
    read: (signal) => readAll((page) => client.undoable(worldId, page, { signal })),
    forget: true,
    enabled: loading.kind === 'ready',
  });
  const data = undoable.kind === 'ready' ? undoable.data : undefined;
  const kept = useMemo(() => new Set(data?.map(({ toolCallId }) => toolCallId)), [data]);
  const changes = useMemo(() => chatChanges({ invocations, approvals }, kept), [invocations, approvals, kept]);
  if (deleted || loading.kind === 'failed')
    return (
      <Page title={changesWords.title}>
        {loading.kind === 'failed' ? (
          <Failed why={loading.why} onRetry={() => worldStore.retryNow()} />
        ) : (
          <Failed why={changesWords.deletedChat} />
        )}
      </Page>
    );
  if (loading.kind === 'loading')
    return (
      <Page title={changesWords.title}>
        <Loading what={changesWords.theChanges} />
      </Page>
    );
  return (
    <Page
      title={changesWords.title}
      lead={
        <>
          {changesWords.lead}{' '}
          <Link href={paths.chat(worldId, chatId)} className="block truncate text-blue hover:underline">
            <Visible text={title} />
          </Link>
        </>
      }
    >
      {undoable.kind === 'failed' ? <Failed why={undoable.why} onRetry={undoable.retry} /> : null}
      {changes.length > 0 ? null : (
        <Empty title={older === 'none' ? changesWords.none : changesWords.noneYet}>{changesWords.noneHint}</Empty>
      )}
      <ul className="space-y-3">
        {changes.map((change) => (
          <li key={change.call.invocationId}>
            <Change change={change} isKept={kept.has(change.call.invocationId)} />
          </li>
        ))}
      </ul>
      {older === 'none' ? null : (
        <Button
          className="mt-4"
          disabled={older === 'loading'}
          onClick={() => void attempt('load-older', store.loadOlder())}
        >
          {changesWords.older}
        </Button>
      )}
    </Page>
  );
}

function Change({ change, isKept }: { change: ChangingCall; isKept: boolean }): ReactElement {
  const { call, approval, signed, entries, isUnsure } = change;
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const agents = useChat((state) => state.agents);
  const maySign = useMay('sign', worldId);
  const me = useMe();
  const now = useNow();
  const { invocationId, toolName, editedArguments, settledAt, undone } = call;
  const decision = approval?.decision;
  return (
    <Card className="space-y-2 px-4 py-3 text-sm">
      <p className="flex items-baseline gap-2">
        <bdi className="shrink-0 font-semibold">{agentName({ agents }, call.agentId)}</bdi>
        <Link
          href={paths.call(worldId, chatId, invocationId)}
          className="min-w-0 flex-1 truncate font-mono text-[0.8125rem] text-blue hover:underline"
        >
          <Visible text={`${toolName} ${callLine(toolName, editedArguments ?? call.arguments)}`} strict />
        </Link>
        <span className="shrink-0 text-[0.8125rem] text-ink-3">
          {settledAt === undefined ? null : <Ago at={settledAt} />}
        </span>
      </p>
      {signed === undefined ? (
        <ul className="text-[0.8125rem]">
          {entries.map(({ path }) => (
            <li key={path} className="font-mono [overflow-wrap:anywhere]">
              <Visible text={path} strict />
            </li>
          ))}
          {entries.length === 0 ? <li className="text-ink-2">{changesWords.notRecorded}</li> : null}
        </ul>
      ) : (
        <EffectView approval={signed} />
      )}
      {isUnsure ? (
        <IconLine icon="alert" look="text-[0.8125rem] text-amber">
          {changesWords.unsure}
        </IconLine>
      ) : null}
      <SignatureLine signed={decision?.outcome === 'approved'}>
        {decision?.outcome === 'approved' ? <Visible text={decisionStory(decision, now, me)} /> : changesWords.notAsked}
      </SignatureLine>
      {undone === undefined ? null : (
        <SignatureLine signed>
          <Visible
            text={changesWords.undoneBy(
              undone.by.id === me ? changesWords.you : nameOf(undone.by),
              agoText(undone.at, now),
            )}
          />
        </SignatureLine>
      )}
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        {signed === undefined ? null : (
          <Link href={paths.review(worldId, signed.approvalId)} className="text-[0.8125rem] text-blue hover:underline">
            {changesWords.review}
          </Link>
        )}
        {isKept && maySign && undone === undefined ? <Undo worldId={worldId} callId={invocationId} /> : null}
      </div>
    </Card>
  );
}
