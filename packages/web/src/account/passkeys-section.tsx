import type { Me, RegisteredPasskey } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { createPasskey } from '../passkeys/ceremony.js';
import { confirmWith } from '../passkeys/confirm.js';
import { NotRead } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Note } from '../notices/note.js';
import { Section } from '../ui/section.js';
import { attempt, say } from '../notices/toast.js';
import { isLimited } from './is-limited.js';
import { PasskeyList } from './passkey-list.js';
import { passkeyWords } from '../words/passkeys.js';

/** What the open dialog is about. */
type Asked = { kind: 'trust' | 'remove'; passkey: RegisteredPasskey };

/** The person's passkeys. */
export function PasskeysSection({ account }: { account: Me }): ReactElement | null {
  const client = useClient();
  const [asked, setAsked] = useState<Asked>();
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
    setAsked(undefined);
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
      {passkeys.kind === 'ready' ? (
        <PasskeyList
          passkeys={known}
          onTrust={mayChange && hasTrusted ? (passkey) => setAsked({ kind: 'trust', passkey }) : undefined}
          onRemove={mayChange ? (passkey) => setAsked({ kind: 'remove', passkey }) : undefined}
        />
      ) : (
        <NotRead read={passkeys} what={passkeyWords.thePasskeys} />
      )}
      {asked === undefined ? null : (
        <Dialog
          title={asked.kind === 'trust' ? passkeyWords.confirmTitle : passkeyWords.removeTitle}
          onClose={() => setAsked(undefined)}
        >
          <p className="text-sm [overflow-wrap:anywhere]">
            {asked.kind === 'trust'
              ? passkeyWords.confirmText(asked.passkey.name)
              : passkeyWords.removeText(asked.passkey.name, asked.passkey.trusted)}
          </p>
          <div className="mt-4 flex flex-wrap justify-end gap-2">
            <Button onClick={() => setAsked(undefined)}>{passkeyWords.cancel}</Button>
            {asked.kind === 'trust' ? (
              <Button look="primary" aria-disabled={isBusy} onClick={() => void trust(asked.passkey)}>
                {passkeyWords.confirmButton}
              </Button>
            ) : (
              <Button look="danger" icon="trash" aria-disabled={isBusy} onClick={() => void remove(asked.passkey)}>
                {passkeyWords.remove}
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </Section>
  );
}
