import { ClientError } from '@countersign/client';
import type { ProviderStatus } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useClient } from '../data/connection.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../form/confirm.js';
import { attempt, say } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { providerWords } from '../words/providers.js';

/** Confirms a removal. A provider that agents use is removed only with a second button, in a different place (MODEL7.2). */
export function RemoveProvider({
  provider,
  onClose,
  onRemoved,
}: {
  provider: ProviderStatus;
  onClose: () => void;
  onRemoved: () => void;
}): ReactElement {
  const client = useClient();
  const [used, setUsed] = useState<string>();
  const remove = async (force: boolean): Promise<void> => {
    const removal = client.removeProvider(provider.id, { force }).catch((error: unknown) => {
      if (force || !(error instanceof ClientError) || error.status !== 409) throw error;
      setUsed(error.detail);
      return 'used' as const;
    });
    await attempt(
      `remove-provider-${provider.id}`,
      removal.then((answer) => {
        if (answer === 'used') return;
        say(providerWords.removed(provider.name), 'green');
        onRemoved();
      }),
    );
  };
  return (
    <Confirm
      title={providerWords.removeTitle}
      action={providerWords.remove}
      icon="trash"
      disabled={used !== undefined}
      onConfirm={() => remove(false)}
      onClose={onClose}
    >
      <p>{providerWords.removeText(provider.name)}</p>
      <div role="status">
        {used === undefined ? null : (
          <div className="space-y-2 rounded-md border border-red bg-red-soft px-3 py-2 text-sm text-red">
            <p className="[overflow-wrap:anywhere]">
              <Visible text={used} />
            </p>
            <p>{providerWords.removeAnywayHint}</p>
            <Button size="small" look="danger" icon="trash" onClick={() => void remove(true)}>
              {providerWords.removeAnyway}
            </Button>
          </div>
        )}
      </div>
    </Confirm>
  );
}
