import { SERVER_LOG } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { useMay } from '../data/me.js';
import { Page } from '../shell/frame.js';
import { WhoMay } from '../shell/guarded.js';
import { AuditLog } from './audit-log.js';
import { auditWords } from '../words/audit.js';

/** Changes to people, roles, groups, tokens and sessions, for admins. */
export default function ServerAuditPage(): ReactElement {
  const mayRead = useMay('admin');
  if (!mayRead)
    return (
      <Page title={auditWords.serverTitle}>
        <WhoMay needs="admin" />
      </Page>
    );
  return (
    <AuditLog worldId={SERVER_LOG} title={auditWords.serverTitle} lead={auditWords.serverLead} kinds={[]} agents={[]} />
  );
}
