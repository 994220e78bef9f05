import type { Person, RegisteredPasskey } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { PasskeyList } from '../account/passkey-list.js';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { confirmWith } from '../passkeys/confirm.js';
import { PasskeyFailure } from '../passkeys/passkey-failure.js';
import { linkFor } from '../passkeys/passkey-link.js';
import { Loaded } from '../shell/frame.js';
import { Confirm } from '../form/confirm.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { clearErrors, say, sayError } from '../notices/toast.js';
import { peopleWords } from '../words/people.js';

/** A person's passkeys. An admin can confirm one with their own trusted passkey (WHO6.1). */
export function PersonPasskeys({ person, onClose }: { person: Person; onClose: () => void }): ReactElement {
  const client = useClient();
  const [confirming, setConfirming] = useState<RegisteredPasskey>();
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
      setConfirming(undefined);
      say(peopleWords.passkeyConfirmed(person.name), 'green');
      await passkeys.reread();
    } catch (error) {
      sayError('trust-passkey', error, error instanceof PasskeyFailure ? linkFor(error) : undefined);
    } finally {
      setIsBusy(false);
    }
  };
  if (confirming !== undefined)
    return (
      <Confirm
        key="confirm"
        title={peopleWords.confirmPasskeyTitle(person.name)}
        action={peopleWords.confirmPasskey}
        look="primary"
        busy={isBusy}
        onConfirm={() => trust(confirming)}
        onClose={() => setConfirming(undefined)}
      >
        {peopleWords.confirmPasskeyText(confirming.name, person.name)}
      </Confirm>
    );
  return (
    <Dialog key="list" title={peopleWords.passkeysOf(person.name)} onClose={onClose}>
      <Loaded read={passkeys} what={peopleWords.thePasskeys}>
        {(all) => <PasskeyList passkeys={all} onTrust={setConfirming} />}
      </Loaded>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>{peopleWords.close}</Button>
      </div>
    </Dialog>
  );
}
