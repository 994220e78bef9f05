import type { Agent } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { TextField } from '../form/field.js';
import { attempt } from '../notices/toast.js';
import { Button } from '../ui/button.js';
import { chatWords } from '../words/chat.js';

const { tell: words } = chatWords;
const LONGEST = 1000;

/** An MCP client runs no hooks. */
export function takesSentences({ model }: Agent): boolean {
  return model !== 'mcp';
}

/** One sentence for the agent of a gated session, which its next hook gets (EXT1.23). */
export function TellAgent({ agent, worldId, chatId }: { agent: Agent; worldId: string; chatId: string }): ReactElement {
  const client = useClient();
  const [text, setText] = useState('');
  const [isSending, setSending] = useState(false);
  const mayNotSend = isSending || text.trim() === '';
  const send = async (): Promise<void> => {
    setSending(true);
    if (await attempt('tell', client.tell(worldId, chatId, text.trim()), words.stored)) setText('');
    setSending(false);
  };
  return (
    <form
      className="mx-auto mb-2 flex w-full max-w-[56rem] items-start gap-2 [&>[data-field]]:min-w-0 [&>[data-field]]:flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (!mayNotSend) void send();
      }}
    >
      <TextField
        label={words.label(agent.name)}
        hint={words.hint}
        maxLength={LONGEST}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button look="primary" type="submit" icon="send" disabled={mayNotSend} className="mt-6">
        {chatWords.send}
      </Button>
    </form>
  );
}
