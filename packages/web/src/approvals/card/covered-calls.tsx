import { coveredTitle } from '@countersign/client';
import type { CoveredCall } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { CallView } from '../../calls/call-view.js';
import { EffectView } from '../../calls/effect-view.js';
import { approvalWords } from '../../words/approvals.js';

/** The waiting calls that a rule or grant would run immediately (CALL5), in full, with what each will do. */
export function CoveredCalls({ calls }: { calls: readonly CoveredCall[] }): ReactElement | null {
  if (calls.length === 0) return null;
  return (
    <section aria-label={approvalWords.alsoRuns} className="space-y-2">
      <p className="text-[0.8125rem] font-medium text-amber">{coveredTitle(calls.length)}</p>
      <ul className="space-y-2">
        {calls.map((call) => (
          <li key={call.toolCallId} className="space-y-2 rounded-md border border-amber-line bg-sunken px-3 py-2">
            <code className="text-xs text-ink-3">{call.toolName}</code>
            <CallView
              toolName={call.toolName}
              args={call.arguments}
              preview={call.preview}
              effect={call.effect ?? call.prediction}
              noEffect={call.noEffect}
            />
            <EffectView approval={call} foot="" />
          </li>
        ))}
      </ul>
    </section>
  );
}
