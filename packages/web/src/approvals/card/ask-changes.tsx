import type { ApprovalView } from '@countersign/client';
import { RUN_TOOL } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient, useWorld } from '../../data/connection.js';
import { useMay } from '../../data/me.js';
import { TextArea } from '../../form/field.js';
import { Form } from '../../form/form.js';
import { attempt } from '../../notices/toast.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { approvalWords } from '../../words/approvals.js';

const { askChanges: words } = approvalWords;
const LONGEST = 12_000;

/** Sends a run back with a message, in place of a decision. */
export function AskChanges({
  approval: { toolName, arguments: args },
  disabled,
}: {
  approval: ApprovalView;
  disabled: boolean;
}): ReactElement | null {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const maySign = useMay('sign', worldId);
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  const [message, setMessage] = useState('');
  const run =
    toolName === RUN_TOOL && args !== null && typeof args === 'object' && 'run' in args ? args.run : undefined;
  if (typeof run !== 'string' || !maySign) return null;
  const send = async (): Promise<void> => {
    setSending(true);
    const isSent = await attempt('ask-changes', client.runs.requestChanges(worldId, run, { message }), words.sent);
    setSending(false);
    if (isSent) setOpen(false);
  };
  return (
    <>
      <Button size="small" icon="edit" disabled={disabled} onClick={() => setOpen(true)}>
        {words.open}
      </Button>
      {isOpen ? (
        <Dialog title={words.title} onClose={() => setOpen(false)}>
          <Form
            submit={words.send}
            disabled={isSending || message.trim() === ''}
            onCancel={() => setOpen(false)}
            onSubmit={() => void send()}
          >
            <TextArea
              label={words.message}
              hint={words.hint}
              rows={6}
              maxLength={LONGEST}
              value={message}
              onChange={(event) => setMessage(event.target.value)}
            />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
