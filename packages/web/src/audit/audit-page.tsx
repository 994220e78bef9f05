import type { AuditEntry } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useWorld } from '../data/connection.js';
import { AuditLog } from './audit-log.js';
import { auditWords } from '../words/audit.js';

const KINDS: readonly AuditEntry['kind'][] = [
  'request',
  'sign',
  'decision',
  'run',
  'outcome',
  'refusal',
  'policy',
  'grant',
  'stop',
  'reveal',
  'rehearsal',
  'undo',
];

/** Who approved what, when, from where and by which rule. */
export default function AuditPage(): ReactElement {
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  return (
    <AuditLog
      key={worldId}
      worldId={worldId}
      title={auditWords.title}
      lead={auditWords.lead}
      kinds={KINDS}
      agents={agents}
    />
  );
}
