import type { Outgoing, Speaker } from '@countersign/client';
import type { ReactElement } from 'react';
import { useOutbox } from '../../data/connection.js';
import { prependToDraft } from '../../data/drafts.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { Visible } from '../../text/visible.js';
import { Spoken } from './spoken.js';
import { composerWords } from '../../words/composer.js';

const PERSON: Speaker = { kind: 'person', name: 'human' };

/** A message that isn't in the transcript yet, with its delivery state. */
export function OutgoingRow({
  message,
  draftKey,
  text,
}: {
  message: Outgoing;
  draftKey: string;
  text: ReactElement;
}): ReactElement {
  const isOnItsWay = message.progress.kind === 'sending' || message.progress.kind === 'sent';
  return (
    <Spoken speaker={PERSON} agents={[]} note={isOnItsWay ? composerWords.sending : undefined}>
      {text}
      <Delivery message={message} draftKey={draftKey} />
    </Spoken>
  );
}

function Delivery({ message, draftKey }: { message: Outgoing; draftKey: string }): ReactElement | null {
  const outbox = useOutbox();
  const { clientMessageId, content, progress } = message;
  const edit = (): void => {
    outbox.remove([clientMessageId]);
    prependToDraft(draftKey, content);
  };
  switch (progress.kind) {
    case 'sending':
    case 'sent':
      return null;
    case 'retrying':
      return (
        <div role="status" className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-amber">
          <Icon name="hourglass" />
          <span className="min-w-0 [overflow-wrap:anywhere]">{composerWords.retrying}</span>
          <Button size="small" look="quiet" className="text-amber" onClick={outbox.retryNow}>
            {composerWords.tryNow}
          </Button>
        </div>
      );
    case 'refused':
      return (
        <div role="alert" className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-red">
          <Icon name="alert" />
          <span className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
            {composerWords.notSent} <Visible text={progress.why} />
          </span>
          <Button size="small" onClick={() => outbox.retry(clientMessageId)}>
            {composerWords.tryAgain}
          </Button>
          <Button size="small" onClick={edit}>
            {composerWords.edit}
          </Button>
        </div>
      );
  }
}
