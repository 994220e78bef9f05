import { ruleWarningText } from '@countersign/client';
import { isRule, policyLines, type RuleWarning } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { CoveredCalls } from '../approvals/card/covered-calls.js';
import { TextArea } from '../form/field.js';
import { Button } from '../ui/button.js';
import { Visible } from '../text/visible.js';
import { policyWords } from '../words/policy.js';
import { ReplayView } from './replay-view.js';
import { useReplay } from './use-replay.js';
import { useSaveRules } from './use-save-rules.js';

export interface Draft {
  text: string;
  etag: string;
}

interface RuleTextProps {
  worldId: string;
  policy: { rules: readonly string[]; warnings?: readonly RuleWarning[]; etag: string };
  draft: Draft | undefined;
  onDraft: (change: (now: Draft | undefined) => Draft | undefined) => void;
}

/** The rules as text. Unchanged text follows the server; edited text is kept until the person saves or discards it. */
export function RuleText({ worldId, policy, draft, onDraft }: RuleTextProps): ReactElement {
  const { rules: stored, etag } = policy;
  const { saving, covered, forget, save } = useSaveRules(worldId, stored, draft?.etag ?? etag);
  const written = stored.join('\n');
  const text = draft?.text ?? written;
  const isChanged = text !== written;
  const isStale = draft !== undefined && draft.etag !== etag;
  const lines = policyLines(text);
  const replay = useReplay(worldId, isChanged ? lines : undefined);
  // A warning is about the stored text: it disappears when its line is edited or moved.
  const warnings = (policy.warnings ?? []).filter(({ line, rule }) => lines[line - 1] === rule);
  return (
    <>
      <TextArea
        label={policyWords.rules}
        mono
        rows={Math.min(28, Math.max(12, lines.length + 3))}
        value={text}
        error={saving.errorOf('rules')}
        hint={policyWords.rulesHint(lines.filter(isRule).length)}
        onChange={(event) => {
          forget();
          onDraft((now) => ({ text: event.target.value, etag: now?.etag ?? etag }));
        }}
      />
      <MoreErrors errors={saving.errorsOf('rules').slice(1)} />
      <Warnings of={warnings} />
      {isStale && isChanged ? (
        <p role="alert" className="mt-2 text-sm text-amber">
          {policyWords.stale}
        </p>
      ) : null}
      {covered === undefined ? null : (
        <div role="alert" className="mt-3">
          <CoveredCalls calls={covered} />
        </div>
      )}
      <div className="my-3 flex gap-2">
        <Button
          look="primary"
          disabled={!isChanged || saving.busy}
          onClick={() =>
            void save(lines).then((saved) => {
              // Text typed while saving is a change to the saved version. With the old ETag, it could never be saved.
              if (saved !== undefined)
                onDraft((now) => (now === undefined || now.text === text ? undefined : { ...now, ...saved }));
            })
          }
        >
          {covered === undefined ? policyWords.saveRules : policyWords.saveAndRun}
        </Button>
        <Button disabled={!isChanged} onClick={() => onDraft(() => undefined)}>
          {policyWords.discard}
        </Button>
      </div>
      {replay.kind === 'failed' && replay.isInvalid ? null : <ReplayView state={replay} />}
    </>
  );
}

/** The field shows the first error. */
function MoreErrors({ errors }: { errors: readonly string[] }): ReactElement | null {
  if (errors.length === 0) return null;
  return (
    <ul aria-label={policyWords.errors} className="mt-1 space-y-1 text-[0.8125rem] text-red">
      {errors.map((error) => (
        <li key={error} className="[overflow-wrap:anywhere]">
          <Visible text={error} strict />
        </li>
      ))}
    </ul>
  );
}

function Warnings({ of }: { of: readonly RuleWarning[] }): ReactElement | null {
  if (of.length === 0) return null;
  return (
    <ul role="status" aria-label={policyWords.warnings} className="mt-2 space-y-1 text-sm text-amber">
      {of.map((warning) => (
        <li key={warning.line} className="[overflow-wrap:anywhere]">
          <Visible text={ruleWarningText(warning)} strict />
        </li>
      ))}
    </ul>
  );
}
