import type { ApprovalView } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { useClient, useWorld } from '../../data/connection.js';
import { useMay } from '../../data/me.js';
import { TextArea } from '../../form/field.js';
import { Form } from '../../form/form.js';
import { runOf } from '../run-of.js';
import { useComments } from '../use-comments.js';
import { attempt } from '../../notices/toast.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Visible } from '../../text/visible.js';
import { approvalWords } from '../../words/approvals.js';

const { askChanges: words } = approvalWords;
const LONGEST = 12_000;

/** Sends a run back with a message, in place of a decision. */
export function AskChanges({ approval, disabled }: { approval: ApprovalView; disabled: boolean }): ReactElement | null {
  const client = useClient();
  const comments = useComments(approval);
  const worldId = useWorld((state) => state.worldId);
  const maySign = useMay('sign', worldId);
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  const [message, setMessage] = useState('');
  const run = runOf(approval);
  if (run === undefined || !maySign) return null;
  const kept = comments?.all ?? [];
  const send = async (): Promise<void> => {
    setSending(true);
    const isSent = await attempt(
      'ask-changes',
      client.runs.requestChanges(worldId, run, { message, comments: [...kept] }),
      words.sent,
    );
    setSending(false);
    if (!isSent) return;
    comments?.keep([]);
    setOpen(false);
  };
  return (
    <>
      <Button size="small" icon="edit" className="ml-2" disabled={disabled} onClick={() => setOpen(true)}>
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
            {kept.length === 0 ? null : (
              <ul aria-label={words.comments(kept.length)} className="space-y-1 text-sm">
                {kept.map(({ path, line, text }) => (
                  <li key={`${path} ${line} ${text}`} className="[overflow-wrap:anywhere]">
                    <code>
                      <Visible text={line === undefined ? path : `${path}:${line}`} strict />
                    </code>{' '}
                    <Visible text={text} />
                  </li>
                ))}
              </ul>
            )}
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
