import { agentName, inFolderText, nameOf, readAll } from '@countersign/client';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NotRead, Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { paths } from '../shell/paths.js';
import { Avatar } from '../ui/avatar.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { Empty } from '../ui/card.js';
import { Ago } from '../text/time.js';
import { attempt } from '../notices/toast.js';
import { Visible } from '../text/visible.js';
import { policyWords } from '../words/policy.js';

/** Grants, each with a button to revoke it. */
export default function GrantsPage(): ReactElement {
  const client = useClient();
  const queries = useQueryClient();
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const chats = useWorld((state) => state.chats);
  const revision = useWorld((state) => state.revisions.grant ?? 0);
  const grants = useRead({
    key: ['grants', worldId],
    revision,
    read: (signal) => readAll((after) => client.grants(worldId, after, { signal })),
  });
  const revoke = async (grantId: string): Promise<void> => {
    if (!(await attempt(`revoke-${grantId}`, client.revoke(worldId, grantId), policyWords.revoked))) return;
    await queries.invalidateQueries({ queryKey: ['grants', worldId] });
  };
  if (grants.kind !== 'ready') return <NotRead read={grants} what={policyWords.theGrants} title={policyWords.grants} />;
  return (
    <Page
      title={policyWords.grants}
      lead={policyWords.grantsLead(
        <Link href={paths.page(worldId, 'policy')} className="text-blue underline">
          {policyWords.title}
        </Link>,
      )}
    >
      <Guarded needs="sign" worldId={worldId}>
        <RowList
          items={grants.data}
          keyOf={({ grantId }) => grantId}
          empty={<Empty title={policyWords.noGrants}>{policyWords.noGrantsHint}</Empty>}
        >
          {(grant, row) => {
            const name = agentName({ agents }, grant.agentId);
            return (
              <>
                <Avatar id={grant.agentId} name={name} />
                <div className="min-w-0 flex-1 text-sm">
                  <p id={row.id} className="[overflow-wrap:anywhere]">
                    <bdi className="font-semibold">{name}</bdi> {policyWords.mayUse}{' '}
                    <code>
                      <Visible text={grant.toolName} strict />
                    </code>
                    {grant.pattern === undefined ? null : (
                      <>
                        {' '}
                        {policyWords.forCallsLike}{' '}
                        <code>
                          <Visible text={grant.pattern} strict />
                        </code>
                      </>
                    )}
                    <Visible text={inFolderText(grant.folder)} strict />
                  </p>
                  <p className="text-[0.8125rem] text-ink-3">
                    {policyWords.in}{' '}
                    <Link href={paths.chat(worldId, grant.chatId)} className="text-blue underline">
                      <Visible text={chats.find(({ id }) => id === grant.chatId)?.title ?? policyWords.aChat} />
                    </Link>{' '}
                    {policyWords.approvedBy} <Visible text={nameOf(grant.grantedBy)} /> <Ago at={grant.grantedAt} />{' '}
                    {policyWords.used} <Ago at={grant.lastUsedAt} />
                  </p>
                </div>
                <Button {...row.button} look="danger" onClick={() => void revoke(grant.grantId)}>
                  {policyWords.revoke}
                </Button>
              </>
            );
          }}
        </RowList>
      </Guarded>
    </Page>
  );
}
