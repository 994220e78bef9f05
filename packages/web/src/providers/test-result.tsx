import type { ProviderAnswer, ProviderTest } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import type { Tone } from '../ui/tone.js';
import { visibleText } from '../text/visible-parts.js';
import { Visible } from '../text/visible.js';
import type { Testing } from './use-test.js';
import { providerWords } from '../words/providers.js';

/** The result of a test, and what to do. The live region is always rendered, so that screen readers announce the result. */
export function TestResult({ testing }: { testing: Testing }): ReactElement {
  const { state, isSaved } = testing;
  return (
    <div role="status" className="text-sm empty:-mt-2!">
      {state === 'idle' ? null : state === 'running' ? (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          {isSaved ? providerWords.saved : null} {providerWords.testing}
          <Button size="small" onClick={testing.cancel}>
            {providerWords.stopTest}
          </Button>
        </p>
      ) : (
        <Answer test={state} isSaved={isSaved} onTry={(model) => testing.run(model)} />
      )}
    </div>
  );
}

function Answer({
  test,
  isSaved,
  onTry,
}: {
  test: ProviderTest;
  isSaved: boolean;
  onTry: (model: string) => void;
}): ReactElement {
  const { closest } = test;
  const saved = toneOf(test.code) === 'red' ? providerWords.savedButFailed : providerWords.saved;
  return (
    <div className="flex flex-wrap items-start gap-x-2 gap-y-1">
      <Badge tone={toneOf(test.code)} icon={test.ok ? 'check' : 'alert'}>
        {providerWords.answers[test.code]}
      </Badge>
      <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {isSaved ? saved : null} <Visible text={test.detail} />{' '}
        <span className="whitespace-nowrap text-ink-3">{providerWords.tookMs(test.ms)}</span>
      </p>
      {closest === undefined ? null : (
        <Button size="small" onClick={() => onTry(closest)}>
          {providerWords.didYouMean(visibleText(closest))}
        </Button>
      )}
    </div>
  );
}

/** After these answers, the provider may still work: it may only need a model, or time. */
function toneOf(code: ProviderAnswer): Tone {
  switch (code) {
    case 'ok':
      return 'green';
    case 'model-needed':
    case 'rate-limited':
    case 'overloaded':
      return 'neutral';
    case 'no-key':
    case 'wrong-key':
    case 'no-credit':
    case 'wrong-address':
    case 'no-network':
    case 'unknown-model':
    case 'timeout':
    case 'failed':
      return 'red';
  }
}
