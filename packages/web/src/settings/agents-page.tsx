import type { Agent } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { Page } from '../shell/frame.js';
import { paths } from '../shell/paths.js';
import { Avatar } from '../ui/avatar.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card, Empty } from '../ui/card.js';
import { Dialog } from '../ui/dialog.js';
import { say, sayError } from '../ui/toast.js';
import { AgentForm } from './agent-form.js';

/** Who works in this world, on which model, and what each may ask for. */
export default function AgentsPage(): ReactElement {
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const mainAgent = useWorld((state) => state.world?.mainAgent);
  const [, navigate] = useLocation();
  const chosen = new URLSearchParams(useSearch()).get('agent') ?? undefined;
  const [adding, setAdding] = useState(false);
  const listId = useId();
  const [removing, setRemoving] = useState<Agent>();
  const close = (): void => {
    setAdding(false);
    if (chosen !== undefined) navigate(paths.page(worldId, 'agents'), { replace: true });
  };
  const open = agents.find(({ id }) => id === chosen);
  return (
    <Page
      title="Agents"
      lead="An agent is a model with a name, a prompt and the tools it may ask for. Asking is not getting: the policy and you decide."
      actions={
        <Button size="small" look="primary" icon="plus" onClick={() => setAdding(true)}>
          Add agent
        </Button>
      }
    >
      {agents.length === 0 ? (
        <Empty title="No agents yet.">
          Add one, give it a model and the tools it may ask for, and write to it in a chat.
        </Empty>
      ) : null}
      <ul className="space-y-2">
        {agents.map((agent, index) => (
          <li key={agent.id}>
            <Card className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
              <Avatar id={agent.id} name={agent.name} />
              <div className="min-w-0 flex-1 text-sm max-sm:basis-[calc(100%-3rem)]">
                <p className="flex flex-wrap items-center gap-2">
                  <bdi id={`${listId}-${index}`} className="font-semibold">
                    {agent.name}
                  </bdi>
                  <span className="text-ink-3">
                    {agent.provider} · {agent.model}
                  </span>
                  {mainAgent === agent.id ? <Badge>answers first</Badge> : null}
                  {agent.active ? null : <Badge icon="ban">off</Badge>}
                </p>
                <p className="truncate text-[0.8125rem] text-ink-3">
                  {agent.tools.length === 0 ? 'no tools' : agent.tools.join(', ')}
                </p>
              </div>
              <Button
                size="small"
                aria-describedby={`${listId}-${index}`}
                onClick={() => navigate(`${paths.page(worldId, 'agents')}?agent=${encodeURIComponent(agent.id)}`)}
              >
                Change
              </Button>
              <Button
                size="small"
                look="danger"
                aria-describedby={`${listId}-${index}`}
                onClick={() => setRemoving(agent)}
              >
                Remove
              </Button>
            </Card>
          </li>
        ))}
      </ul>
      {adding || open !== undefined ? (
        <Dialog title={open === undefined ? 'Add agent' : `Agent ${open.name}`} onClose={close}>
          <AgentForm worldId={worldId} agent={open} onDone={close} />
        </Dialog>
      ) : null}
      {removing === undefined ? null : (
        <Removing worldId={worldId} agent={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Page>
  );
}

function Removing({ worldId, agent, onClose }: { worldId: string; agent: Agent; onClose: () => void }): ReactElement {
  const client = useClient();
  const remove = async (): Promise<void> => {
    try {
      await client.deleteAgent(worldId, agent.id);
      say(`${agent.name} is removed.`, 'green');
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog title="Remove agent" onClose={onClose}>
      <p className="text-sm">
        <bdi className="font-semibold">{agent.name}</bdi> answers no more, and its grants end. What it said stays in the
        transcripts.
      </p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Keep</Button>
        <Button look="danger" icon="trash" onClick={() => void remove()}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
