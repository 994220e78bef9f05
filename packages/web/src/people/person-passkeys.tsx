import type { Person, RegisteredPasskey } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { PasskeyList } from '../account/passkey-list.js';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { confirmWith } from '../passkeys/confirm.js';
import { PasskeyFailure } from '../passkeys/passkey-failure.js';
import { linkFor } from '../passkeys/passkey-link.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { clearErrors, say, sayError } from '../notices/toast.js';
import { peopleWords } from '../words/people.js';

/** A person's passkeys. An admin can confirm one with their own trusted passkey (W8.8). */
export function PersonPasskeys({ person, onClose }: { person: Person; onClose: () => void }): ReactElement {
  const client = useClient();
  const [asked, setAsked] = useState<RegisteredPasskey>();
  const [isBusy, setIsBusy] = useState(false);
  const passkeys = useRead({
    key: ['passkeys', person.id],
    read: async (signal) => (await client.passkeys(person.id, { signal })).items,
  });
  const trust = async ({ id }: RegisteredPasskey): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      const confirmation = await confirmWith(client, { kind: 'trust-passkey', passkey: id });
      await client.trustPasskey(person.id, id, confirmation);
      clearErrors('trust-passkey');
      setAsked(undefined);
      say(peopleWords.passkeyConfirmed(person.name), 'green');
      await passkeys.reread();
    } catch (error) {
      sayError('trust-passkey', error, error instanceof PasskeyFailure ? linkFor(error) : undefined);
    } finally {
      setIsBusy(false);
    }
  };
  if (asked !== undefined)
    return (
      <Dialog key="confirm" title={peopleWords.confirmPasskeyTitle(person.name)} onClose={() => setAsked(undefined)}>
        <p className="text-sm [overflow-wrap:anywhere]">{peopleWords.confirmPasskeyText(asked.name, person.name)}</p>
        <div className="mt-4 flex flex-wrap justify-end gap-2">
          <Button onClick={() => setAsked(undefined)}>{peopleWords.cancel}</Button>
          <Button look="primary" aria-disabled={isBusy} onClick={() => void trust(asked)}>
            {peopleWords.confirmPasskey}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog key="list" title={peopleWords.passkeysOf(person.name)} onClose={onClose}>
      {passkeys.kind === 'ready' ? (
        <PasskeyList passkeys={passkeys.data} onTrust={setAsked} />
      ) : (
        <NotRead read={passkeys} what={peopleWords.thePasskeys} />
      )}
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>{peopleWords.close}</Button>
      </div>
    </Dialog>
  );
}
