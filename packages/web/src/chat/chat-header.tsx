import { type ChatState, exportFileName, workers } from '@countersign/client';
import type { ExportFormat } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { waitingForYou } from '../approvals/use-chat-queue.js';
import { useChat, useClient, useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { paths } from '../shell/paths.js';
import { Badge } from '../ui/badge.js';
import { Button, IconButton } from '../ui/button.js';
import { Confirm } from '../form/confirm.js';
import { Form } from '../form/form.js';
import { Dialog } from '../ui/dialog.js';
import { Branches } from './branches.js';
import { TextField } from '../form/field.js';
import { download } from '../ui/download.js';
import { Menu } from '../ui/menu.js';
import { attempt } from '../notices/toast.js';
import { visibleText } from '../text/visible-parts.js';
import { chatWords } from '../words/chat.js';

/** The title of the chat, who is working, and the stop button. */
export function ChatHeader({ onTimeline }: { onTimeline: () => void }): ReactElement {
  const client = useClient();
  const [, go] = useLocation();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const title = useChat((state) => state.title);
  const branchOf = useChat((state) => state.branchOf);
  const status = useChat((state) => state.status);
  const isForOthers = useChat((state) => state.queue.length > 0 && waitingForYou(state) === 0);
  // Selected as a string: a new array each time would re-render the header.
  const busyNow = useChat((state) => busyNames(state));
  // A name stays until the chat is idle, so that the badge doesn't flicker between steps.
  const [busy, setBusy] = useState(busyNow);
  const shown = status === 'working' ? busyNow || busy : '';
  if (shown !== busy) setBusy(shown);
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const [stopping, setStopping] = useState(false);
  const mayChat = useMay('chat', worldId);
  const filed = useWorld((state) => state.chats.find(({ id }) => id === chatId)?.filed);
  const stop = async (): Promise<void> => {
    setStopping(true);
    await attempt(`stop-${chatId}`, client.stop(worldId, chatId));
    setStopping(false);
  };
  const filings = [
    filed === 'pinned'
      ? ({ label: chatWords.unpin, icon: 'pin', to: null } as const)
      : ({ label: chatWords.pin, icon: 'pin', to: 'pinned' } as const),
    filed === 'archived'
      ? ({ label: chatWords.restore, icon: 'archive', to: null } as const)
      : ({ label: chatWords.archive, icon: 'archive', to: 'archived' } as const),
  ];
  const save = (format: ExportFormat): void => {
    const exported = client.exportChat(worldId, chatId, format);
    const name = exportFileName(title, format);
    void attempt(
      `export-${chatId}`,
      exported.then((text) => download(name, new Blob([text]))),
    );
  };
  return (
    <>
      <h1 data-landing="touch" className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">
        <bdi>{visibleText(title)}</bdi>
      </h1>
      {status === 'working' ? (
        <Badge tone="blue">
          <span aria-hidden="true" className="mr-0.5 size-2 shrink-0 animate-breathe rounded-full bg-current" />
          {busy === '' ? null : <bdi className="max-w-48 truncate max-sm:sr-only">{busy}</bdi>}
          {chatWords.working}
        </Badge>
      ) : null}
      {status === 'waiting' ? (
        // On small screens, the bar above the composer shows this.
        <Badge tone={isForOthers ? 'neutral' : 'amber'} icon="hourglass" className="max-sm:hidden">
          {isForOthers ? chatWords.waitingForOthers : chatWords.waitingForYou}
        </Badge>
      ) : null}
      {/* Reserves the space, so that the elements next to it don't move under the pointer. */}
      <Button
        size="small"
        icon="stop"
        className={status === 'idle' ? 'invisible' : ''}
        disabled={stopping || status === 'idle' || !mayChat}
        onClick={() => void stop()}
      >
        {chatWords.stop}
      </Button>
      {branchOf === undefined ? null : <Branches worldId={worldId} chatId={chatId} title={title} />}
      <Menu
        trigger={<IconButton icon="more" label={chatWords.menu} />}
        entries={[
          { label: chatWords.changes, icon: 'file', onSelect: () => go(paths.changes(worldId, chatId)) },
          { label: chatWords.timeline, icon: 'clock', onSelect: onTimeline },
          { label: chatWords.exportMarkdown, icon: 'download', onSelect: () => save('md') },
          { label: chatWords.exportJson, icon: 'download', onSelect: () => save('json') },
          ...(mayChat
            ? ([
                ...filings.map(({ label, icon, to }) => ({
                  label,
                  icon,
                  onSelect: () => void attempt(`file-${chatId}`, client.changeChat(worldId, chatId, { filed: to })),
                })),
                { label: chatWords.openRename, icon: 'edit', onSelect: () => setAsking('rename') },
                { label: chatWords.openDelete, icon: 'trash', danger: true, onSelect: () => setAsking('delete') },
              ] as const)
            : []),
        ]}
      />
      {asking === 'rename' ? (
        <Rename worldId={worldId} chatId={chatId} title={title} onClose={() => setAsking(undefined)} />
      ) : null}
      {asking === 'delete' ? (
        <Remove worldId={worldId} chatId={chatId} title={title} onClose={() => setAsking(undefined)} />
      ) : null}
    </>
  );
}

/** Names of the agents that are working, as far as known: an agent that is still thinking isn't included. */
function busyNames(state: ChatState): string {
  return workers(state)
    .filter(({ doing }) => doing !== 'waiting')
    .map(({ name }) => name)
    .join(', ');
}

interface DialogProps {
  worldId: string;
  chatId: string;
  title: string;
  onClose: () => void;
}

function Rename({ worldId, chatId, title, onClose }: DialogProps): ReactElement {
  const client = useClient();
  const [name, setName] = useState(title);
  const save = async (): Promise<void> => {
    if (await attempt(`rename-${chatId}`, client.changeChat(worldId, chatId, { title: name.trim() }))) onClose();
  };
  return (
    <Dialog title={chatWords.renameTitle} onClose={onClose}>
      <Form submit={chatWords.rename} onCancel={onClose} disabled={name.trim() === ''} onSubmit={save}>
        <TextField
          label={chatWords.chatTitle}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}

function Remove({ worldId, chatId, title, onClose }: DialogProps): ReactElement {
  const client = useClient();
  const [, navigate] = useLocation();
  const remove = async (): Promise<void> => {
    if (!(await attempt(`delete-${chatId}`, client.deleteChat(worldId, chatId)))) return;
    onClose();
    navigate(paths.world(worldId), { replace: true });
  };
  return (
    <Confirm title={chatWords.deleteTitle} action={chatWords.delete} icon="trash" onConfirm={remove} onClose={onClose}>
      {chatWords.deleteText(visibleText(title))}
    </Confirm>
  );
}
