import { isUnencrypted, PROVIDER_KINDS, type ProviderStatus } from '@countersign/protocol';
import { type ReactElement, type ReactNode, useEffect, useId, useState } from 'react';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import { Note } from '../notices/note.js';
import { Visible } from '../text/visible.js';
import { ModelList } from './model-list.js';
import { TestResult } from './test-result.js';
import { useTest } from './use-test.js';
import { providerWords } from '../words/providers.js';

/** One provider: what it is, whether it works, and its models. */
export function ProviderCard({
  provider,
  saves,
  actions,
}: {
  provider: ProviderStatus;
  /** How often the provider was saved here; it is tested each time. */
  saves: number;
  /** Buttons next to *Test*, given the element id of the provider's name. */
  actions: (nameId: string) => ReactNode;
}): ReactElement {
  const nameId = useId();
  const modelsId = useId();
  const testing = useTest(provider.id);
  const [isOpen, setIsOpen] = useState(false);
  const label = provider.kind === undefined ? undefined : PROVIDER_KINDS[provider.kind].label;
  // For a provider from the environment, the name is only the id.
  const name = provider.source === 'environment' ? (label ?? provider.name) : provider.name;
  const canTest = provider.source !== 'built-in' && provider.available;
  useEffect(() => {
    if (saves > 0) void testing.askSaved();
  }, [saves]);
  return (
    <Card className="space-y-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <bdi id={nameId} data-landing="always" className="font-semibold">
            {name}
          </bdi>
          {label === undefined || label === name ? null : <span className="text-ink-3">{label}</span>}
          <KeyState provider={provider} />
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          {canTest ? (
            <Button
              size="small"
              aria-describedby={nameId}
              disabled={testing.state === 'running'}
              onClick={() => testing.run()}
            >
              {providerWords.test}
            </Button>
          ) : null}
          {actions(nameId)}
        </span>
      </div>
      {provider.baseUrl === undefined ? null : (
        <p className="font-mono text-[0.8125rem] text-ink-2 [overflow-wrap:anywhere]">
          <Visible text={provider.baseUrl} strict />
        </p>
      )}
      {provider.problem === undefined ? null : (
        <p className={cx('[overflow-wrap:anywhere]', provider.source === 'stored' ? 'text-red' : 'text-ink-3')}>
          <Visible text={sentence(provider.problem)} />
        </p>
      )}
      {provider.source === 'stored' && provider.hasKey && isUnencrypted(provider.baseUrl ?? '') ? (
        <Note>{providerWords.unencrypted}</Note>
      ) : null}
      <TestResult testing={testing} />
      {canTest ? (
        <div>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={modelsId}
            aria-describedby={nameId}
            onClick={() => setIsOpen(!isOpen)}
            className="flex min-h-8 items-center gap-1 text-[0.8125rem] font-medium text-ink-2 hover:text-ink"
          >
            <Icon name="chevron" className={cx('size-3.5', isOpen && 'rotate-90')} />
            {providerWords.models}
          </button>
          <div id={modelsId}>{isOpen ? <ModelList provider={provider} testing={testing} /> : null}</div>
        </div>
      ) : null}
    </Card>
  );
}

function KeyState({ provider }: { provider: ProviderStatus }): ReactElement | null {
  const { source, variable, hasKey, available, problem } = provider;
  if (source === 'built-in') return <Badge>{providerWords.builtIn}</Badge>;
  if (problem !== undefined) return <Badge icon="alert">{providerWords.notAvailable}</Badge>;
  if (!available) return <Badge icon="key">{providerWords.noKey}</Badge>;
  if (variable !== undefined) return <Badge icon="key">{providerWords.keyInVariable(variable)}</Badge>;
  if (source === 'environment') return <Badge icon="check">{providerWords.fromEnvironment}</Badge>;
  return hasKey ? <Badge icon="key">{providerWords.keySaved}</Badge> : null;
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
