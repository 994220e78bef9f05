import { callLine } from '@countersign/client';
import type { Replayed, ReplayedCall } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useWorld } from '../data/connection.js';
import { paths } from '../shell/paths.js';
import { Visible } from '../text/visible.js';
import { policyWords } from '../words/policy.js';
import type { ReplayState } from './use-replay.js';

/** What the rules would have changed, beside the rule that somebody writes. Its height changes little while they type. */
export function ReplayView({ state }: { state: ReplayState }): ReactElement | null {
  if (state.kind === 'none') return null;
  return (
    <div aria-live="polite" className="min-h-24 rounded-md border border-line bg-sunken px-3 py-2 text-sm">
      {state.kind === 'running' ? <p className="text-ink-3">{policyWords.replaying(state.calls)}</p> : null}
      {state.kind === 'failed' ? (
        <p className={state.isInvalid ? 'text-amber' : 'text-red'}>
          <Visible text={state.why} />
        </p>
      ) : null}
      {state.kind === 'done' ? <Result replayed={state.replayed} /> : null}
    </div>
  );
}

function Result({ replayed }: { replayed: Replayed }): ReactElement {
  const { asked, calls, notJudged, wouldRunAlthoughDenied: run, wouldBeDeniedAlthoughApproved: denied } = replayed;
  const missed = notJudged.reduce((sum, each) => sum + each.calls, 0);
  return (
    <>
      <p className="font-medium">{policyWords.questions(asked.then, asked.now, calls)}</p>
      <Calls title={policyWords.wouldRunAlthoughDenied(run.length)} calls={run} />
      <Calls title={policyWords.wouldBeDenied(denied.length)} calls={denied} />
      {missed === 0 ? null : <p className="text-ink-2">{policyWords.notJudged(missed)}</p>}
      {replayed.more ? <p className="text-ink-2">{policyWords.moreCalls}</p> : null}
      <p className="text-[0.8125rem] text-ink-3">{policyWords.replayLimits}</p>
    </>
  );
}

function Calls({ title, calls }: { title: string; calls: readonly ReplayedCall[] }): ReactElement | null {
  const worldId = useWorld((state) => state.worldId);
  if (calls.length === 0) return null;
  return (
    <>
      <p className="mt-1 font-medium text-red">{title}</p>
      <ul className="list-disc pl-5">
        {calls.map((call) => (
          <li key={call.toolCallId} className="[overflow-wrap:anywhere]">
            <Link href={paths.chat(worldId, call.chatId)} className="text-blue underline">
              <code>
                <Visible text={callLine(call.toolName, call.arguments)} strict />
              </code>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
