import type { Me, RegisteredPasskey } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { createPasskey } from '../passkeys/ceremony.js';
import { confirmWith } from '../passkeys/confirm.js';
import { Loaded } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../form/confirm.js';
import { Note } from '../notices/note.js';
import { Section } from '../ui/section.js';
import { attempt, say } from '../notices/toast.js';
import { isLimited } from './is-limited.js';
import { PasskeyList } from './passkey-list.js';
import { passkeyWords } from '../words/passkeys.js';

/** The person's passkeys. */
export function PasskeysSection({ account }: { account: Me }): ReactElement | null {
  const client = useClient();
  const [confirming, setConfirming] = useState<{ kind: 'trust' | 'remove'; passkey: RegisteredPasskey }>();
  const [isBusy, setIsBusy] = useState(false);
  const passkeys = useRead({
    key: ['passkeys', account.id],
    read: async (signal) => (await client.passkeys(account.id, { signal })).items,
    enabled: account.kind === 'person',
  });
  if (account.kind !== 'person') return null;
  const known = passkeys.kind === 'ready' ? passkeys.data : [];
  const hasTrusted = known.some(({ trusted }) => trusted);
  const mayChange = !isLimited(account);
  const change = async (about: string, work: () => Promise<string>): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    let done = '';
    const isDone = await attempt(
      about,
      work().then((text) => (done = text)),
    );
    setIsBusy(false);
    if (!isDone) return;
    setConfirming(undefined);
    say(done, 'green');
    await passkeys.reread();
  };
  const add = (): Promise<void> =>
    change('passkey', async () => {
      const { trusted } = await client.registerPasskey(await createPasskey(await client.passkeyOptions()));
      return trusted ? passkeyWords.added : passkeyWords.addedUntrusted;
    });
  const trust = ({ id }: RegisteredPasskey): Promise<void> =>
    change('passkey', async () => {
      const confirmation = await confirmWith(client, { kind: 'trust-passkey', passkey: id });
      await client.trustPasskey(account.id, id, confirmation);
      return passkeyWords.confirmed;
    });
  const remove = ({ id, trusted }: RegisteredPasskey): Promise<void> =>
    change('passkey', async () => {
      const confirmation = trusted ? await confirmWith(client, { kind: 'remove-passkey', passkey: id }) : undefined;
      await client.removePasskey(account.id, id, confirmation);
      return passkeyWords.removed;
    });
  return (
    <Section
      title={passkeyWords.title}
      lead={passkeyWords.lead}
      actions={
        mayChange ? (
          <Button size="small" icon="plus" aria-disabled={isBusy} onClick={() => void add()}>
            {passkeyWords.add}
          </Button>
        ) : null
      }
    >
      {known.length > 0 && !hasTrusted ? (
        <div className="mb-2">
          <Note>{passkeyWords.askAdmin}</Note>
        </div>
      ) : null}
      <Loaded read={passkeys} what={passkeyWords.thePasskeys}>
        {(all) => (
          <PasskeyList
            passkeys={all}
            onTrust={mayChange && hasTrusted ? (passkey) => setConfirming({ kind: 'trust', passkey }) : undefined}
            onRemove={mayChange ? (passkey) => setConfirming({ kind: 'remove', passkey }) : undefined}
          />
        )}
      </Loaded>
      {confirming?.kind === 'trust' ? (
        <Confirm
          title={passkeyWords.confirmTitle}
          action={passkeyWords.confirmButton}
          look="primary"
          busy={isBusy}
          onConfirm={() => trust(confirming.passkey)}
          onClose={() => setConfirming(undefined)}
        >
          {passkeyWords.confirmText(confirming.passkey.name)}
        </Confirm>
      ) : null}
      {confirming?.kind === 'remove' ? (
        <Confirm
          title={passkeyWords.removeTitle}
          action={passkeyWords.remove}
          icon="trash"
          busy={isBusy}
          onConfirm={() => remove(confirming.passkey)}
          onClose={() => setConfirming(undefined)}
        >
          {passkeyWords.removeText(confirming.passkey.name, confirming.passkey.trusted)}
        </Confirm>
      ) : null}
    </Section>
  );
}
