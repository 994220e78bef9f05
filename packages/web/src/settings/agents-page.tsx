import type { Agent } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { useMay } from '../data/me.js';
import { Page } from '../shell/frame.js';
import { Guarded } from '../shell/guarded.js';
import { paths } from '../shell/paths.js';
import { Avatar } from '../ui/avatar.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { RowList } from '../ui/row-list.js';
import { Empty } from '../ui/card.js';
import { Confirm } from '../form/confirm.js';
import { Dialog } from '../ui/dialog.js';
import { attempt } from '../notices/toast.js';
import { AgentForm } from './agent-form.js';
import { settingsWords } from '../words/settings.js';

/** The agents of this world, their models and tools. */
export default function AgentsPage(): ReactElement {
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const mainAgent = useWorld((state) => state.world?.mainAgent);
  const [, navigate] = useLocation();
  const chosen = new URLSearchParams(useSearch()).get('agent') ?? undefined;
  const [adding, setAdding] = useState(false);
  const mayChange = useMay('admin', worldId);
  const [removing, setRemoving] = useState<Agent>();
  const close = (): void => {
    setAdding(false);
    if (chosen !== undefined) navigate(paths.page(worldId, 'agents'), { replace: true });
  };
  const open = agents.find(({ id }) => id === chosen);
  return (
    <Page
      title={settingsWords.agents}
      lead={settingsWords.agentsLead}
      actions={
        mayChange ? (
          <>
            <Button size="small" onClick={() => navigate(paths.computer)}>
              {settingsWords.onThisComputer}
            </Button>
            <Button size="small" onClick={() => navigate(paths.page(worldId, 'start'))}>
              {settingsWords.fromTemplate}
            </Button>
            <Button size="small" look="primary" icon="plus" onClick={() => setAdding(true)}>
              {settingsWords.addAgent}
            </Button>
          </>
        ) : null
      }
    >
      <Guarded needs="admin" worldId={worldId}>
        <RowList
          items={agents}
          keyOf={({ id }) => id}
          empty={<Empty title={settingsWords.noAgents}>{settingsWords.noAgentsHint}</Empty>}
        >
          {(agent, row) => (
            <>
              <Avatar id={agent.id} name={agent.name} />
              <div className="min-w-0 flex-1 max-sm:basis-[calc(100%-3rem)]">
                <p className="flex flex-wrap items-center gap-2">
                  <bdi id={row.id} className="font-semibold">
                    {agent.name}
                  </bdi>
                  <span className="text-ink-3">
                    {agent.provider} · {agent.model}
                  </span>
                  {mainAgent === agent.id ? <Badge>{settingsWords.mainBadge}</Badge> : null}
                  {agent.active ? null : <Badge icon="ban">{settingsWords.off}</Badge>}
                </p>
                <p className="truncate text-[0.8125rem] text-ink-3">{whatItUses(agent)}</p>
              </div>
              <Button {...row.button} onClick={() => navigate(paths.agent(worldId, agent.id))}>
                {settingsWords.edit}
              </Button>
              <Button {...row.button} look="danger" onClick={() => setRemoving(agent)}>
                {settingsWords.remove}
              </Button>
            </>
          )}
        </RowList>
      </Guarded>
      {adding || open !== undefined ? (
        <Dialog
          title={open === undefined ? settingsWords.addAgent : settingsWords.agentTitle(open.name)}
          onClose={close}
        >
          <Guarded needs="admin" worldId={worldId}>
            <AgentForm worldId={worldId} agent={open} onDone={close} />
          </Guarded>
        </Dialog>
      ) : null}
      {removing === undefined ? null : (
        <Removing worldId={worldId} agent={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Page>
  );
}

/** The tools that it may call, or the program that it is. */
function whatItUses({ acp, tools }: Agent): string {
  if (acp !== undefined) return acp.command.join(' ');
  return tools.length === 0 ? settingsWords.noTools : tools.join(', ');
}

function Removing({ worldId, agent, onClose }: { worldId: string; agent: Agent; onClose: () => void }): ReactElement {
  const client = useClient();
  const remove = async (): Promise<void> => {
    const removed = client.deleteAgent(worldId, agent.id);
    if (await attempt(`remove-${agent.id}`, removed, settingsWords.agentRemoved(agent.name))) onClose();
  };
  return (
    <Confirm
      title={settingsWords.removeAgent}
      action={settingsWords.remove}
      icon="trash"
      onConfirm={remove}
      onClose={onClose}
    >
      {settingsWords.removeAgentText(agent.name)}
    </Confirm>
  );
}
