import {
  agoText,
  type ApprovalView,
  callLine,
  decisionStory,
  durationText,
  failureText,
  type Invocation,
  effectText,
  isRehearsed,
  nameOf,
  type OutputTail,
} from '@countersign/client';
import { externalVerb } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { callState } from '../approvals/story.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { cx } from '../ui/cx.js';
import { FoldedText } from '../text/folded-text.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon-paths.js';
import { SignatureLine } from '../ui/signature.js';
import { Running, useNow } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { Attachments } from './attachments.js';
import { CallView } from './call-view.js';
import { ClaimedContext } from './claimed-context.js';
import { EffectView } from './effect-view.js';
import { ProposeAgain } from './propose-again.js';
import { ResultView } from './result-view.js';
import { UndoButton } from './undo-dialog.js';
import { callWords } from '../words/calls.js';

export interface ToolCardProps {
  invocation: Invocation;
  approval: ApprovalView | undefined;
  output: OutputTail | undefined;
  /** `1 of 2` while the call waits. */
  place?: string | undefined;
  /** Set if nothing below would move when the card opens automatically. */
  isLast: boolean;
  me?: string | undefined;
  /** False if the call waits for other people. */
  isForYou: boolean;
  onReview?: (() => void) | undefined;
}

/** For this long after the card opened automatically, a click leaves it open. */
const MEANT_TO_OPEN_MS = 1000;

/**
 * One call, in one place, throughout its lifecycle. It opens automatically when it runs or fails, but only if that moves nothing else;
 * otherwise, one line shows its progress.
 */
export function ToolCard(props: ToolCardProps): ReactElement {
  const { invocation, approval, output, place, isLast, me, isForYou, onReview } = props;
  const { status } = invocation;
  const [opened, setOpened] = useState<boolean>();
  const detailId = useId();
  const opens = isLast && (status.kind === 'running' || status.kind === 'failed');
  // The card stays open: the content below must not jump when the call ends.
  const [openedItselfAt, setOpenedItselfAt] = useState<number>();
  if (opens && openedItselfAt === undefined) setOpenedItselfAt(performance.now());
  const isOpen = opened ?? openedItselfAt !== undefined;
  const toggle = (): void => {
    // The card was still closed when the person aimed at it, so the click was meant to open it.
    const isEarly =
      opened === undefined && openedItselfAt !== undefined && performance.now() - openedItselfAt < MEANT_TO_OPEN_MS;
    setOpened(isEarly || !isOpen);
  };
  const aside = isOpen ? '' : asideWords(status, output);
  const isStopped = status.kind === 'failed' && status.outcome === 'stopped';
  const attachments = 'attachments' in status ? (status.attachments ?? []) : [];
  const state = callState(invocation, approval?.decision, isForYou);
  const args = invocation.editedArguments ?? invocation.arguments;
  return (
    <div
      data-invocation={invocation.invocationId}
      className={cx(
        'max-w-[52rem] rounded-lg border bg-surface',
        status.kind === 'asked' && isForYou ? 'border-amber-line' : 'border-line',
      )}
    >
      <div className="flex min-h-10 flex-wrap items-center gap-x-2 pr-2 max-sm:pb-1.5 max-sm:pl-9 sm:flex-nowrap">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={detailId}
          onClick={toggle}
          className="flex min-h-10 min-w-0 flex-1 basis-full items-center gap-2 rounded-lg py-1 pl-2.5 text-left hover:bg-sunken max-sm:-ml-9 sm:basis-0"
        >
          <Icon
            name="chevron"
            className={cx('size-3.5 text-ink-3 transition-transform duration-100', isOpen && 'rotate-90')}
          />
          <Icon name={toolIcon(invocation.toolName)} className="text-ink-3" />
          <span className="min-w-0 truncate text-[0.8125rem] text-ink-3">
            <Visible text={invocation.toolName} strict />
          </span>
          <code className="min-w-0 flex-1 truncate text-ink">
            <Visible text={callLine(invocation.toolName, args)} strict />
          </code>
          {aside === '' ? null : (
            <span
              className={cx(
                'max-w-[45%] min-w-0 truncate text-[0.8125rem]',
                status.kind !== 'failed' ? 'font-mono text-ink-3' : isStopped ? 'text-ink-3' : 'text-red',
              )}
            >
              <Visible text={aside} />
            </span>
          )}
        </button>
        {invocation.editedArguments === undefined ? null : <Badge icon="edit">{callWords.edited}</Badge>}
        {invocation.undone === undefined ? null : <Badge icon="reply">{callWords.undoneBadge}</Badge>}
        <Badge tone={state.tone} icon={state.icon}>
          <span className="max-w-36 truncate sm:max-w-64">
            <Visible text={state.words} />
          </span>
          {place === undefined ? null : ` · ${place}`}
          <Elapsed invocation={invocation} />
        </Badge>
        {status.kind === 'asked' && onReview !== undefined ? (
          <Button size="small" look={isForYou ? 'amber' : 'quiet'} onClick={onReview}>
            {callWords.review}
          </Button>
        ) : null}
      </div>
      <div id={detailId} hidden={!isOpen} className="space-y-3 border-t border-line px-3 py-2.5">
        {isOpen ? <Detail invocation={invocation} approval={approval} output={output} me={me} /> : null}
      </div>
      {attachments.length === 0 ? null : <Attachments attachments={attachments} toolName={invocation.toolName} />}
    </div>
  );
}

/** What people were shown before they decided. Undefined for a file tool, whose call is the effect. */
function shownBefore(approval: ToolCardProps['approval']): string | undefined {
  if (approval === undefined || (approval.prediction === undefined && !isRehearsed(approval))) return undefined;
  return effectText(approval)?.sentence;
}

function Detail({
  invocation,
  approval,
  output,
  me,
}: Pick<ToolCardProps, 'invocation' | 'approval' | 'output' | 'me'>): ReactElement {
  const now = useNow();
  const { status } = invocation;
  const decision = approval?.decision;
  // An edit that was approved at once is not what the approval shows.
  const shown = decision?.editedArguments === undefined ? approval : undefined;
  const shownEffect = shownBefore(shown);
  return (
    <>
      <div
        tabIndex={0}
        role="group"
        aria-label={callWords.call}
        className="scroll-quiet max-h-96 overflow-y-auto rounded-md bg-sunken px-3 py-2"
      >
        <CallView
          toolName={invocation.toolName}
          args={invocation.editedArguments ?? invocation.arguments}
          preview={shown?.preview}
          effect={shown?.effect ?? shown?.prediction}
          noEffect={shown?.noEffect}
        />
      </div>
      {approval === undefined ? null : <ClaimedContext approval={approval} />}
      {invocation.editedArguments === undefined ? null : (
        <details className="text-[0.8125rem] text-ink-2">
          <summary>{callWords.proposed}</summary>
          <div className="scroll-quiet mt-1 max-h-96 overflow-y-auto rounded-md bg-sunken px-3 py-2" tabIndex={0}>
            <CallView toolName={invocation.toolName} args={invocation.arguments} />
          </div>
        </details>
      )}
      {/* Placed before the output, in the order of events: below the output, it would move with every line. */}
      {decision === undefined ? null : (
        <SignatureLine signed={decision.outcome === 'approved' || decision.outcome === 'answered'}>
          <Visible text={decisionStory(decision, now, me)} />
        </SignatureLine>
      )}
      {decision === undefined || approval === undefined || shownEffect === undefined ? null : (
        <details className="text-[0.8125rem] text-ink-2">
          <summary>{callWords.shownEffect(shownEffect)}</summary>
          <div className="scroll-quiet mt-1 max-h-96 overflow-y-auto rounded-md bg-sunken px-3 py-2" tabIndex={0}>
            <EffectView approval={approval} />
          </div>
        </details>
      )}
      {invocation.undone === undefined ? null : (
        <SignatureLine signed>
          <Visible text={undoneText(invocation.undone, now, me)} />
        </SignatureLine>
      )}
      {status.kind === 'running' ? <LiveOutput output={output} /> : null}
      {status.kind === 'succeeded' && status.outcome === undefined ? <ResultView result={status.result} /> : null}
      {status.kind === 'failed' ? (
        <div className="space-y-2">
          <p
            className={cx('flex items-start gap-1.5 text-sm', status.outcome === 'stopped' ? 'text-ink-2' : 'text-red')}
          >
            <Icon name={status.outcome === 'stopped' ? 'stop' : 'alert'} className="mt-1" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <Visible text={failureText(status)} />
            </span>
          </p>
          {/* The output before a stop is the only clue to how far the call got. */}
          {status.result !== undefined ? (
            <ResultView result={status.result} />
          ) : output === undefined ? null : (
            <LiveOutput output={output} />
          )}
          {status.outcome === 'conflict' ? <ProposeAgain invocation={invocation} /> : null}
        </div>
      ) : null}
      {status.kind === 'denied' && decision === undefined ? (
        <p className="text-sm text-red">
          {callWords.denied} <Visible text={status.reason} />
        </p>
      ) : null}
      {/* Last, because it appears later than the rest and must not move it. */}
      {hasEnded(invocation) ? <UndoButton callId={invocation.invocationId} /> : null}
    </>
  );
}

function undoneText({ by, at }: NonNullable<Invocation['undone']>, now: number, me: string | undefined): string {
  return callWords.undoneBy(me !== undefined && by.id === me ? callWords.you : nameOf(by), agoText(at, now));
}

function hasEnded({ status, undone }: Invocation): boolean {
  return undone === undefined && (status.kind === 'succeeded' || status.kind === 'failed');
}

function LiveOutput({ output }: { output: OutputTail | undefined }): ReactElement {
  if (output === undefined) return <p className="text-[0.8125rem] text-ink-3">{callWords.noOutputYet}</p>;
  const text = output.parts.map((part) => part.text).join('');
  return (
    // A fixed height, so that new lines don't move the content below.
    <div
      className="flex h-40 flex-col-reverse overflow-y-auto rounded-md border border-line bg-sunken px-3 py-2"
      tabIndex={0}
      role="log"
      aria-label={callWords.output}
    >
      {/* Short output starts at the top; longer output stays scrolled to the end. */}
      <div className="mb-auto">
        {output.dropped === 0 ? null : <p className="text-xs text-ink-3">{callWords.dropped(output.dropped)}</p>}
        <FoldedText text={text.slice(-20_000)} first={20_000} />
      </div>
    </div>
  );
}

function Elapsed({ invocation }: { invocation: Invocation }): ReactElement | null {
  const { startedAt, settledAt } = invocation;
  if (startedAt === undefined) return null;
  if (settledAt === undefined)
    return (
      <>
        {' '}
        <Running since={startedAt} />
      </>
    );
  return <> · {durationText(Date.parse(settledAt) - Date.parse(startedAt))}</>;
}

const LONGEST_ASIDE = 200;

/** Progress on one line: the last line of output, or why the call failed. */
function asideWords(status: Invocation['status'], output: OutputTail | undefined): string {
  if (status.kind === 'failed') return failureText(status).slice(0, LONGEST_ASIDE);
  if (status.kind !== 'running' || output === undefined) return '';
  const end = output.parts
    .slice(-2)
    .map(({ text }) => text)
    .join('')
    .trimEnd();
  return end.slice(end.lastIndexOf('\n') + 1).slice(-LONGEST_ASIDE);
}

function toolIcon(toolName: string): IconName {
  const verb = externalVerb(toolName);
  if (toolName === 'shell_cmd' || verb === 'run') return 'terminal';
  if (verb !== undefined || /file|grep/.test(toolName)) return 'file';
  if (/fetch|http|web/.test(toolName)) return 'globe';
  if (toolName.startsWith('mcp__')) return 'plug';
  return toolName === 'ask_human' ? 'question' : 'bolt';
}
