import type { McpServer } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useWorld } from '../data/connection.js';
import { hasOneOf } from '../settings/server-tools.js';
import { paths } from '../shell/paths.js';
import { serverWords } from '../words/servers.js';

/** Says that no agent has the tools of a running server, with a link to the form that gives them to one. */
export function UnusedTools({ server: { status, tools } }: { server: McpServer }): ReactElement | null {
  const worldId = useWorld((state) => state.worldId);
  const agents = useWorld((state) => state.agents);
  const mainAgent = useWorld((state) => state.world?.mainAgent);
  if (status !== 'running' || tools.length === 0 || agents.some((agent) => hasOneOf(agent.tools, tools))) return null;
  const target = agents.find(({ id }) => id === mainAgent) ?? (agents.length === 1 ? agents[0] : undefined);
  return (
    <p className="text-[0.8125rem] text-ink-2">
      {serverWords.unusedTools}{' '}
      <Link
        href={target === undefined ? paths.page(worldId, 'agents') : paths.agent(worldId, target.id)}
        className="font-medium text-blue underline"
      >
        {target === undefined ? serverWords.openAgents : serverWords.editAgent(target.name)}
      </Link>
    </p>
  );
}
