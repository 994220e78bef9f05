import type { ProviderKind, ProviderStatus } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useMay } from '../data/me.js';
import { useProviders } from '../data/use-lists.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import { say } from '../notices/toast.js';
import { ProviderCard } from './provider-card.js';
import { ProviderForm } from './provider-form.js';
import { RemoveProvider } from './remove-provider.js';
import { providerWords } from '../words/providers.js';

type Open =
  | { readonly kind: 'add'; readonly preset?: ProviderKind | undefined }
  | { readonly kind: 'edit' | 'remove'; readonly provider: ProviderStatus };

/** Providers that people added, and those from the environment. Never shows a key. */
export default function ProvidersPage(): ReactElement {
  const queries = useQueryClient();
  const providers = useProviders();
  const mayChange = useMay('admin');
  const [open, setOpen] = useState<Open>();
  const [saves, setSaves] = useState<Readonly<Record<string, number>>>({});
  if (providers.kind !== 'ready')
    return <NotRead read={providers} what={providerWords.theProviders} title={providerWords.title} />;
  const { items } = providers.data;
  const stored = items.filter(({ source }) => source === 'stored');
  const others = items.filter(({ source }) => source !== 'stored');
  const close = (): void => setOpen(undefined);
  const changed = async (saved?: ProviderStatus): Promise<void> => {
    close();
    await queries.invalidateQueries({ queryKey: ['providers'] });
    if (saved === undefined) return;
    await queries.invalidateQueries({ queryKey: ['provider-models', saved.id] });
    if (!saved.available) say(providerWords.saved, 'green');
    else setSaves((before) => ({ ...before, [saved.id]: (before[saved.id] ?? 0) + 1 }));
  };
  const takenBy = (own?: string): string[] =>
    items
      .filter(({ id, available, source }) => id !== own && (available || source === 'stored'))
      .map(({ name }) => name);
  return (
    <Page
      title={providerWords.title}
      lead={providerWords.lead}
      actions={
        mayChange ? (
          <Button size="small" look="primary" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
            {providerWords.add}
          </Button>
        ) : null
      }
    >
      <Guarded needs="admin">
        {stored.length === 0 ? <Empty title={providerWords.empty}>{providerWords.emptyHint}</Empty> : null}
        <ul className="space-y-2">
          {stored.map((provider) => (
            <li key={provider.id}>
              <ProviderCard
                provider={provider}
                saves={saves[provider.id] ?? 0}
                actions={(nameId) => (
                  <>
                    <Button size="small" aria-describedby={nameId} onClick={() => setOpen({ kind: 'edit', provider })}>
                      {providerWords.edit}
                    </Button>
                    <Button
                      size="small"
                      look="danger"
                      aria-describedby={nameId}
                      onClick={() => setOpen({ kind: 'remove', provider })}
                    >
                      {providerWords.remove}
                    </Button>
                  </>
                )}
              />
            </li>
          ))}
        </ul>
        <h2 className="mt-8 font-semibold">{providerWords.others}</h2>
        <p className="mt-1 mb-3 max-w-[76ch] text-sm text-ink-2">{providerWords.othersHint}</p>
        <ul className="space-y-2">
          {others.map((provider) => (
            <li key={provider.id}>
              <ProviderCard
                provider={provider}
                saves={0}
                actions={(nameId) =>
                  provider.available || provider.kind === undefined || provider.problem !== undefined ? null : (
                    <Button
                      size="small"
                      aria-describedby={nameId}
                      onClick={() => setOpen({ kind: 'add', preset: provider.kind })}
                    >
                      {providerWords.addKey}
                    </Button>
                  )
                }
              />
            </li>
          ))}
        </ul>
      </Guarded>
      {open?.kind === 'add' || open?.kind === 'edit' ? (
        <Dialog
          title={open.kind === 'add' ? providerWords.add : providerWords.editTitle(open.provider.name)}
          onClose={close}
        >
          <ProviderForm
            saved={open.kind === 'edit' ? open.provider : undefined}
            kind={open.kind === 'add' ? open.preset : undefined}
            taken={open.kind === 'edit' ? takenBy(open.provider.id) : takenBy()}
            submit={open.kind === 'add' ? providerWords.add : providerWords.save}
            onDone={(saved) => void changed(saved)}
            leave={<Button onClick={close}>{providerWords.cancel}</Button>}
          />
        </Dialog>
      ) : null}
      {open?.kind === 'remove' ? (
        <RemoveProvider provider={open.provider} onClose={close} onRemoved={() => void changed()} />
      ) : null}
    </Page>
  );
}
