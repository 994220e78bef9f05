import { type ChainVerdict, verifyChain } from '@countersign/client';
import type { Agent, AuditEntry } from '@countersign/protocol';
import { type ReactElement, useMemo, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { download } from '../ui/download.js';
import { useFields } from '../form/use-fields.js';
import { NotRead, Page } from '../shell/frame.js';
import { cx } from '../ui/cx.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/card.js';
import { Select, TextField } from '../form/field.js';
import { visibleText } from '../text/visible-parts.js';
import { attempt, clearErrors, sayError } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { AuditRows } from './audit-rows.js';
import { filterEntries, signersIn, type Filter } from './filter-entries.js';
import { readAudit } from './read-audit.js';
import { auditWords } from '../words/audit.js';

const STEP = 100;

/** An audit log with filters: who did what, when, from where and why. `agents`: those of the world, if it is a world's log. */
export function AuditLog({
  worldId,
  title,
  lead,
  kinds,
  agents,
}: {
  worldId: string;
  title: string;
  lead: string;
  kinds: readonly AuditEntry['kind'][];
  agents: readonly Agent[];
}): ReactElement {
  const client = useClient();
  const hasCalls = kinds.length > 0;
  const log = useRead({ key: ['audit', worldId], read: (signal) => readAudit(client, worldId, signal) });
  const records = log.kind === 'ready' ? log.data : undefined;
  const { values: filter, text } = useFields<Filter>({ errorOf: () => undefined }, () => ({
    kind: '',
    agentId: '',
    who: '',
    words: '',
  }));
  const [shown, setShown] = useState(STEP);
  const entries = useMemo(() => filterEntries(records ?? [], filter), [records, filter]);
  const signers = useMemo(() => signersIn(records ?? []), [records]);
  const save = (format: 'jsonl' | 'csv'): void => {
    const saved = client
      .exportAudit(worldId, format)
      .then((text) =>
        download(
          `${worldId.replace(/^_/, '')}-audit.${format}`,
          new Blob([text], { type: format === 'csv' ? 'text/csv' : 'application/jsonl' }),
        ),
      );
    void attempt('export-audit', saved);
  };
  return (
    <Page
      title={title}
      wide
      lead={lead}
      actions={
        <>
          <Button size="small" icon="download" onClick={() => save('jsonl')}>
            {auditWords.jsonLines}
          </Button>
          <Button size="small" icon="download" onClick={() => save('csv')}>
            {auditWords.csv}
          </Button>
        </>
      }
    >
      <div
        className={cx(
          'mb-4 grid items-end gap-3 sm:grid-cols-3',
          hasCalls ? 'lg:grid-cols-[9rem_9rem_9rem_minmax(0,1fr)_auto]' : 'lg:grid-cols-[12rem_minmax(0,1fr)_auto]',
        )}
      >
        {!hasCalls ? null : (
          <>
            <Select
              label={auditWords.kind}
              options={[{ value: '', label: auditWords.all }, ...kinds.map((kind) => ({ value: kind, label: kind }))]}
              {...text('kind')}
            />
            <Select
              label={auditWords.agent}
              options={[
                { value: '', label: auditWords.all },
                ...agents.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              {...text('agentId')}
            />
          </>
        )}
        <Select
          label={auditWords.who}
          options={[
            { value: '', label: auditWords.all },
            ...signers.map(({ value, label }) => ({ value, label: visibleText(label) })),
          ]}
          {...text('who')}
        />
        <TextField label={auditWords.words} type="search" {...text('words')} />
        <Verify key={`${records?.length} ${records?.at(-1)?.seq}`} worldId={worldId} entries={records} />
      </div>
      {log.kind === 'ready' ? null : <NotRead read={log} what={auditWords.theLog} />}
      {records !== undefined && entries.length === 0 ? (
        <Empty title={auditWords.noRecords}>
          {records.length === 0 ? auditWords.noRecordsYet : auditWords.otherFilter}
        </Empty>
      ) : null}
      {entries.length === 0 ? null : (
        <AuditRows entries={entries.slice(0, shown)} worldId={worldId} hasCalls={hasCalls} agents={agents} />
      )}
      {entries.length > shown ? (
        <Button className="mt-3" onClick={() => setShown(shown + STEP)}>
          {auditWords.showMore(Math.min(STEP, entries.length - shown), entries.length)}
        </Button>
      ) : null}
    </Page>
  );
}

/** The server verifies its chain against its head file; then the received records are checked here. */
function Verify({ worldId, entries }: { worldId: string; entries: readonly AuditEntry[] | undefined }): ReactElement {
  const client = useClient();
  const [verdict, setVerdict] = useState<ChainVerdict>();
  const [unguarded, setUnguarded] = useState(0);
  const verify = async (): Promise<void> => {
    try {
      const walked = await client.verifyAudit(worldId);
      setUnguarded(walked.ok ? (walked.unguarded ?? 0) : 0);
      setVerdict(walked.ok ? await verifyChain(entries ?? []) : { ok: false, at: walked.at, why: walked.detail });
      clearErrors('verify-audit');
    } catch (error) {
      sayError('verify-audit', error);
    }
  };
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2" aria-live="polite">
      {verdict === undefined ? (
        <Button icon="policy" disabled={entries === undefined} onClick={() => void verify()}>
          {auditWords.verify}
        </Button>
      ) : verdict.ok ? (
        <>
          <Badge tone="green" icon="check">
            {auditWords.unbroken(verdict.records)}
          </Badge>
          <span className="max-w-72 text-xs text-ink-3">
            {auditWords.verified}
            {unguarded === 0 ? null : auditWords.unguarded(unguarded)}
          </span>
        </>
      ) : (
        <Badge tone="red" icon="alert">
          <Visible text={verdict.why} />
        </Badge>
      )}
    </div>
  );
}
