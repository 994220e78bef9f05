import { agentName, auditRule, auditWhy, callLine, signedText } from '@countersign/client';
import type { Agent, AuditEntry } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { paths } from '../shell/paths.js';
import { TABLET, useMedia } from '../shell/use-media.js';
import { Badge } from '../ui/badge.js';
import { cx } from '../ui/cx.js';
import { Clock } from '../text/time.js';
import { Visible } from '../text/visible.js';
import { lookOf } from './look-of.js';
import { auditWords } from '../words/audit.js';

interface AuditRowsProps {
  entries: readonly AuditEntry[];
  worldId: string;
  /** False in the log of the server. */
  hasCalls: boolean;
  agents: readonly Agent[];
}

/** The records as a table, or as a list on a phone, where a table would have to be scrolled sideways. */
export function AuditRows({ entries, worldId, hasCalls, agents }: AuditRowsProps): ReactElement {
  const isWide = useMedia(TABLET);
  const nameOf = ({ agentId }: AuditEntry): string => (agentId === undefined ? '' : agentName({ agents }, agentId));
  if (!isWide)
    return (
      <ul aria-label={auditWords.records} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {entries.map((entry) => (
          <li key={entry.seq} className="space-y-1 px-3 py-2.5 text-[0.8125rem]">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <What entry={entry} />
              <span className="ml-auto text-ink-3 tabular-nums">
                {entry.seq} · <Clock at={entry.at} />
              </span>
            </p>
            <p className="text-ink-2 [overflow-wrap:anywhere]">
              <Who entry={entry} />
            </p>
            {entry.tool === undefined ? null : <Call entry={entry} worldId={worldId} agentName={nameOf(entry)} />}
            <div className="text-ink-2 [overflow-wrap:anywhere]">
              <Why entry={entry} />
            </div>
          </li>
        ))}
      </ul>
    );
  const columns = [
    auditWords.columns.number,
    auditWords.columns.when,
    auditWords.columns.what,
    ...(hasCalls ? [auditWords.columns.call] : []),
  ];
  return (
    <div
      className="scroll-quiet overflow-x-auto rounded-lg border border-line bg-surface"
      tabIndex={0}
      role="group"
      aria-label={auditWords.records}
    >
      <table className={cx('w-full text-left text-[0.8125rem]', hasCalls && 'min-w-[46rem]')}>
        <thead className="border-b border-line text-xs text-ink-3">
          <tr>
            {[...columns, auditWords.columns.who, auditWords.columns.why].map((column) => (
              <th key={column} scope="col" className="px-3 py-2 font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.seq} className="border-t border-line align-top first:border-t-0">
              <td className="px-3 py-2 text-ink-3 tabular-nums">{entry.seq}</td>
              <td className="px-3 py-2 whitespace-nowrap text-ink-2">
                <Clock at={entry.at} />
              </td>
              <td className="px-3 py-2">
                <What entry={entry} />
              </td>
              {hasCalls ? (
                <td className="max-w-80 px-3 py-2">
                  <Call entry={entry} worldId={worldId} agentName={nameOf(entry)} />
                </td>
              ) : null}
              <td className="px-3 py-2 text-ink-2">
                <Who entry={entry} />
              </td>
              <td className="max-w-72 px-3 py-2 text-ink-2 [overflow-wrap:anywhere]">
                <Why entry={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function What({ entry }: { entry: AuditEntry }): ReactElement {
  const look = lookOf(entry);
  return (
    <Badge tone={look.tone} icon={look.icon}>
      {look.words}
    </Badge>
  );
}

function Who({ entry }: { entry: AuditEntry }): ReactElement {
  return (
    <>
      <Visible text={signedText(entry.who, entry.via, entry.for)} />
    </>
  );
}

/** Leads to the call in its chat. */
function Call({ entry, worldId, agentName }: { entry: AuditEntry; worldId: string; agentName: string }): ReactElement {
  const { chatId, invocationId, tool = '' } = entry;
  const about = (
    <>
      <span className="block truncate text-ink-3">
        {agentName === '' ? '' : `${agentName} · `}
        <Visible text={tool} strict />
      </span>
      {entry.arguments === undefined ? null : (
        <code className="line-clamp-2 [overflow-wrap:anywhere]">
          <Visible text={callLine(tool, entry.arguments)} strict />
        </code>
      )}
    </>
  );
  if (chatId === undefined || invocationId === undefined) return <div>{about}</div>;
  return (
    <Link href={paths.call(worldId, chatId, invocationId)} className="block text-blue hover:underline">
      {about}
    </Link>
  );
}

function Why({ entry }: { entry: AuditEntry }): ReactElement {
  const rule = auditRule(entry);
  return (
    <>
      <Visible text={auditWhy(entry).slice(0, 300)} />
      {rule === undefined ? null : (
        <code className="block">
          <Visible text={rule} strict />
        </code>
      )}
    </>
  );
}
