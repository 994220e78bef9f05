import { get, type TranscriptMessage } from '@countersign/client';
import type { Chat, NewBranch } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useChat, useClient } from '../../data/connection.js';
import { useMay } from '../../data/me.js';
import { TextArea } from '../../form/field.js';
import { Form } from '../../form/form.js';
import { attempt, orSayWhy } from '../../notices/toast.js';
import { paths } from '../../shell/paths.js';
import { IconButton } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Menu, type MenuEntry } from '../../ui/menu.js';
import { chatWords } from '../../words/chat.js';

/** What to do with a message: copy its text, or start a branch of the chat from it. */
export function MessageMenu({ message }: { message: TranscriptMessage }): ReactElement {
  const { messageId, content, speaker, replyToMessageId = '' } = message;
  const worldId = useChat((state) => state.worldId);
  const asked = useChat((state) => get(state.messages, replyToMessageId)?.speaker.kind === 'person');
  const mayChat = useMay('chat', worldId);
  const { branch, busy } = useBranch();
  const [isEditing, setEditing] = useState(false);
  const isFromPerson = speaker.kind === 'person';
  const again = (id: string): void => void branch({ fromMessageId: id });
  const entries: MenuEntry[] = [
    {
      label: chatWords.copyText,
      icon: 'copy',
      onSelect: () => void attempt('copy', navigator.clipboard.writeText(content)),
    },
  ];
  if (mayChat && isFromPerson) {
    entries.push(
      { label: chatWords.openEdit, icon: 'edit', onSelect: () => setEditing(true) },
      { label: chatWords.tryAgain, icon: 'reply', disabled: busy, onSelect: () => again(messageId) },
    );
  }
  if (mayChat && speaker.kind === 'agent' && message.invocationIds.length === 0) {
    if (asked)
      entries.push({
        label: chatWords.tryAgain,
        icon: 'reply',
        disabled: busy,
        onSelect: () => again(replyToMessageId),
      });
    entries.push({ label: chatWords.branchHere, icon: 'plus', disabled: busy, onSelect: () => again(messageId) });
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton
            icon="more"
            label={chatWords.messageMenu}
            className="-my-1 size-7! opacity-0 group-hover/message:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100 max-md:opacity-100"
          />
        }
        entries={entries}
      />
      {isEditing ? <Edit message={message} onClose={() => setEditing(false)} /> : null}
    </>
  );
}

function Edit({ message, onClose }: { message: TranscriptMessage; onClose: () => void }): ReactElement {
  const { branch, busy } = useBranch();
  const [text, setText] = useState(message.content);
  const save = async (): Promise<void> => {
    if ((await branch({ fromMessageId: message.messageId, content: text })) !== undefined) onClose();
  };
  return (
    <Dialog title={chatWords.editTitle} onClose={onClose}>
      <Form submit={chatWords.sendInBranch} onCancel={onClose} disabled={busy || text.trim() === ''} onSubmit={save}>
        <TextArea
          label={chatWords.message}
          hint={chatWords.editHint}
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}

/** Starts a branch and opens it. */
function useBranch(): { branch: (from: NewBranch) => Promise<Chat | undefined>; busy: boolean } {
  const client = useClient();
  const [, go] = useLocation();
  const worldId = useChat((state) => state.worldId);
  const chatId = useChat((state) => state.chatId);
  const [busy, setBusy] = useState(false);
  const branch = async (from: NewBranch): Promise<Chat | undefined> => {
    setBusy(true);
    const made = await orSayWhy(`branch-${chatId}`, client.branch(worldId, chatId, from));
    setBusy(false);
    if (made !== undefined) go(paths.chat(worldId, made.id));
    return made;
  };
  return { branch, busy };
}
