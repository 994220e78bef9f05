import {
  type Answer,
  type ApprovalView,
  chatPattern,
  editedText,
  grantMatch,
  hasFiles,
  mayEdit,
  nothingRunsText,
  partText,
  type Reader,
  revealedView,
  verbFor,
  wantsTo,
  lacksPasskey,
  yourPart,
} from '@countersign/client';
import { RUN_TOOL, type Effect, type PolicyMatch, type RevealedCall } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { CallView } from '../../calls/call-view.js';
import { EffectView } from '../../calls/effect-view.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { AllowHost, AllowNextRun } from './allow-host.js';
import { AskChanges } from './ask-changes.js';
import { AlwaysForm, type Matched, useMatchState } from './always-form.js';
import { CardFrame, type CardPlace } from './card-frame.js';
import { ChatScope } from './chat-scope.js';
import { Circumstances } from './circumstances.js';
import { CoveredCalls } from './covered-calls.js';
import { EditForm, isBeingEdited, useEdited } from './edit-form.js';
import type { MenuEntry } from '../../ui/menu.js';
import { MoreMenu } from './more-menu.js';
import type { Outcome } from '../use-answer.js';
import { useArmed } from './use-armed.js';
import { useShownMs } from './use-shown-ms.js';
import { type EndShown, useEndShown } from './use-end-shown.js';
import { paths } from '../../shell/paths.js';
import { approvalWords } from '../../words/approvals.js';

export interface ApprovalCardProps extends CardPlace {
  /** Errors are shown elsewhere, unless they are about the edited arguments. */
  onAnswer: (answer: Answer) => Promise<Outcome>;
  /** Finds the calls that a rule or grant would have matched, and the waiting calls that it would run. */
  matches: (wanted: PolicyMatch) => Promise<Matched>;
  /** Returns the unmasked call; undefined on failure, which is shown elsewhere. */
  onReveal: () => Promise<Revealed | undefined>;
  /** Returns the whole effect; undefined on failure, which is shown elsewhere. */
  onShowAll: () => Promise<Effect | undefined>;
  me: Reader | undefined;
  /** Where the change is shown file by file, unless this is that place. */
  reviewAt?: string | undefined;
  review?: ReviewOnCard | undefined;
  /** Set if another card was just decided elsewhere: a click meant for that one must not approve this one. */
  wary: boolean;
}

/** The files of the change, on the screen where they are shown one by one. */
interface ReviewOnCard {
  beside: (reading: ReactElement, isEdited: boolean) => ReactElement;
  /** The effect as far as it is shown there, without diffs. The one on the card has only the start of a long list. */
  effect: Effect | undefined;
  /** What must still be shown before the call can be approved. */
  toShow: string | undefined;
}

type Revealed = Pick<RevealedCall, 'arguments'>;

/** What the button in the place of *Approve once* does. */
type Mode = 'once' | 'chat' | 'always' | 'edit';

/** The card for one call. Deny comes first and is never harder to reach than approve; there is no default. */
export function ApprovalCard(props: ApprovalCardProps): ReactElement {
  const { onAnswer, onReveal, onShowAll, matches, me, wary, review, reviewAt, ...place } = props;
  const { approval, agentName } = place;
  const [revealed, setRevealed] = useState<Revealed>();
  const shown = revealed === undefined ? approval : revealedView(approval, revealed);
  const [mode, setMode] = useState<Mode>(isBeingEdited(approval) ? 'edit' : 'once');
  const [wide, setWide] = useState(false);
  const [rule, setRule] = useState(approval.proposedRule ?? '');
  const [sending, setSending] = useState(false);
  const edited = useEdited(approval);
  const narrow = chatPattern(approval);
  const pattern = wide ? '*' : narrow;
  const found = useMatchState(wantedOf(mode, approval, rule.trim(), pattern), matches);
  const covered = (mode === 'chat' || mode === 'always') && found.kind === 'found' ? found.matched.waiting : [];
  const { preview, effect, prediction } = shown;
  // Calls that this one releases are part of what is approved (CALL5.4).
  const end = useEndShown(JSON.stringify([mode === 'edit', shown.arguments, preview, effect, prediction, covered]));
  const noteId = useId();
  const isNew = !useArmed(approval.approvalId, wary);
  const isArmed = !isNew && !sending;
  const shownMs = useShownMs(approval.approvalId);
  // Each mode puts a different button in the same place.
  const mayPress = useArmed(`${approval.approvalId} ${mode}`, wary) && isArmed;
  // An edit runs nothing: the edited call gets a card of its own, which must be read to its end (CALL7.4).
  const wasShown = end.wasShown && review?.toShow === undefined;
  const mayApprove = mayPress && (mode === 'edit' ? edited.isChanged : wasShown);
  const filesAt = hasFiles(shown) ? reviewAt : undefined;
  const [, go] = useLocation();

  const part = yourPart(approval, me);
  const may = (option: ApprovalView['options'][number]): boolean =>
    part === 'decide' && approval.options.includes(option);
  const mayChat = may('approve_session') && narrow !== undefined;
  const mayAlways = may('approve_always') && approval.proposedRule !== undefined;
  const isEditable = part === 'decide' && mayEdit(approval);
  const answer = async (given: Answer): Promise<void> => {
    setSending(true);
    const outcome = await onAnswer({ ...given, shownMs: shownMs() });
    if (outcome.kind === 'invalid') edited.refuse(outcome.why);
    setSending(false);
  };
  const approve = (): void => {
    if (!mayApprove) return;
    switch (mode) {
      case 'once':
        return void answer({ decision: 'approve', scope: 'once' });
      case 'chat':
        return void answer({
          decision: 'approve',
          scope: 'session',
          ...(pattern === undefined ? {} : { pattern }),
        });
      case 'always':
        return void answer({ decision: 'approve', scope: 'always', rule: rule.trim() });
      case 'edit': {
        const args = edited.read();
        return args === undefined ? undefined : void answer({ decision: 'approve', scope: 'once', arguments: args });
      }
    }
  };
  const onKey = (key: string): (() => void) | undefined => {
    if (key === 'f' && mode === 'once' && filesAt !== undefined) return () => go(filesAt);
    if (mode !== 'once' || !may('approve_once')) return undefined;
    switch (key) {
      case 'o':
        return mayApprove ? approve : undefined;
      case 'c':
        return mayApprove && mayChat ? () => setMode('chat') : undefined;
      case 'a':
        return mayApprove && mayAlways ? () => setMode('always') : undefined;
      case 'e':
        return isArmed && isEditable ? () => setMode('edit') : undefined;
      default:
        return undefined;
    }
  };
  // The other calls that would run must be listed first (CALL5).
  const isReady =
    mode === 'chat' ? found.kind === 'found' : mode !== 'always' || (rule.trim() !== '' && found.kind !== 'looking');

  const verb = verbFor(approval);
  const editedNote = editedText(approval);
  const entries: readonly MenuEntry[] = [
    ...(mayChat
      ? [{ label: approvalWords.approveForChat, disabled: !mayApprove, onSelect: () => setMode('chat') }]
      : []),
    ...(mayAlways ? [{ label: approvalWords.always, disabled: !mayApprove, onSelect: () => setMode('always') }] : []),
    ...(isEditable ? [{ label: approvalWords.edit, onSelect: () => setMode('edit') }] : []),
  ];
  // Without other choices, there is nothing to open.
  const isWide = mode === 'chat' || mode === 'always' || entries.length === 0;

  return (
    <CardFrame
      {...place}
      title={
        <>
          <bdi>{agentName}</bdi>{' '}
          {approval.toolName === RUN_TOOL ? (
            wantsTo(approval)
          ) : (
            <>
              {approvalWords.wantsTo} {verb ?? approvalWords.use}{' '}
              {verb === undefined ? <code className="font-normal">{approval.toolName}</code> : null}
            </>
          )}
        </>
      }
      end={end}
      beside={review && ((reading) => review.beside(reading, mode === 'edit'))}
      isForYou={part === 'decide'}
      isReadOnly={part === 'watch'}
      note={
        lacksPasskey(approval, me) ? (
          <NeedsPasskey />
        ) : (
          (partText(approval, part) ??
          noteOf(end, mode, isArmed, {
            ready: mode === 'edit' ? approvalWords.previewFirst : nothingRunsText(approval, 'you'),
            review,
          }))
        )
      }
      noteId={noteId}
      mayDeny={isArmed}
      isNew={isNew}
      takesChanges={approval.toolName !== RUN_TOOL}
      onDeny={(reason) => void answer({ decision: 'deny', ...(reason === '' ? {} : { reason }) })}
      onBack={
        mode === 'once'
          ? undefined
          : () => {
              edited.leave();
              setMode('once');
            }
      }
      onKey={onKey}
      form={
        mode === 'chat' && pattern !== undefined ? (
          <ChatScope
            toolName={approval.toolName}
            agentName={agentName}
            pattern={pattern}
            folder={approval.session?.folder}
            wide={wide}
            onWide={approval.session?.any === true ? setWide : undefined}
            found={found}
          />
        ) : mode === 'always' ? (
          <AlwaysForm rule={rule} found={found} onRule={setRule} />
        ) : undefined
      }
      primary={
        part === 'decide' || part === 'unknown' ? (
          <Button
            look="primary"
            disabled={!mayApprove || !isReady || ((mode === 'once' || mode === 'edit') && !may('approve_once'))}
            aria-describedby={noteId}
            onClick={approve}
            className={isWide ? 'col-span-2' : ''}
          >
            {SIGN_WORDS[mode]}
          </Button>
        ) : undefined
      }
      more={isWide ? undefined : <MoreMenu disabled={!isArmed || mode === 'edit'} entries={entries} />}
    >
      {mode === 'edit' ? (
        <EditForm edited={edited} />
      ) : (
        <>
          {editedNote === undefined ? null : (
            <p role="status" className="flex items-start gap-1.5 text-[0.8125rem] font-medium text-blue">
              <Icon name="edit" className="mt-0.5 size-3.5" />
              {editedNote}
            </p>
          )}
          <div className="rounded-md border border-line bg-sunken px-3 py-2">
            <CallView
              toolName={shown.toolName}
              args={shown.arguments}
              preview={shown.preview}
              effect={shown.effect ?? prediction}
              noEffect={shown.noEffect}
              isBrief={review !== undefined}
            />
          </div>
          <EffectView
            approval={review?.effect === undefined ? shown : { ...shown, effect: review.effect }}
            onShowAll={onShowAll}
            isBrief={review !== undefined}
          />
          {filesAt === undefined ? null : (
            <Link
              href={filesAt}
              className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line-2 bg-surface px-2.5 text-[0.8125rem] font-medium hover:border-ink-3 hover:bg-sunken"
            >
              <Icon name="file" />
              {approvalWords.reviewFiles}
              <kbd className="text-ink-3">f</kbd>
            </Link>
          )}
          {part === 'decide' && mode === 'once' ? (
            <>
              <AllowHost approval={approval} disabled={!isArmed} onAnswer={(given) => void answer(given)} />
              <AllowNextRun approval={approval} disabled={!isArmed} />
            </>
          ) : null}
          {part === 'watch' ? null : <AskChanges approval={approval} disabled={!isArmed} />}
        </>
      )}
      <Circumstances
        approval={shown}
        me={me}
        isEdited={mode === 'edit' && edited.isChanged}
        onReveal={part === 'watch' ? undefined : () => void onReveal().then(setRevealed)}
      />
      <CoveredCalls calls={covered} />
    </CardFrame>
  );
}

function wantedOf(
  mode: Mode,
  approval: ApprovalView,
  rule: string,
  pattern: string | undefined,
): PolicyMatch | undefined {
  if (mode === 'chat') return pattern === undefined ? undefined : grantMatch(approval, pattern);
  return mode === 'always' && rule !== '' ? { chatId: approval.chatId, rule } : undefined;
}

const SIGN_WORDS: Readonly<Record<Mode, string>> = {
  once: approvalWords.approveOnce,
  edit: approvalWords.preview,
  chat: approvalWords.approveForChat,
  always: approvalWords.approveAlways,
};

/** The note for someone who could sign if they had a trusted passkey. */
function NeedsPasskey(): ReactElement {
  return (
    <>
      {approvalWords.needsPasskey}{' '}
      <Link href={paths.account} className="text-blue underline">
        {approvalWords.openAccount}
      </Link>
    </>
  );
}

function noteOf(
  { isFolded, wasShown, moreLines }: EndShown,
  mode: Mode,
  isArmed: boolean,
  { ready, review }: { ready: string; review: ReviewOnCard | undefined },
): string {
  if (mode === 'edit') return ready;
  if (isFolded) return approvalWords.expandFirst;
  // The size of a card is unknown at first. A card that fits must not briefly claim that it doesn't.
  const isKnown = isArmed || moreLines > 0;
  if (!wasShown && isKnown) return review === undefined ? approvalWords.scrollFirst : approvalWords.summaryFirst;
  return review?.toShow ?? ready;
}
