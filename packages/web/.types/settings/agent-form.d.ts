import type { Agent } from '@countersign/protocol';
import { type ReactElement } from 'react';
export declare function AgentForm({ worldId, agent, onDone, }: {
    worldId: string;
    agent: Agent | undefined;
    onDone: () => void;
}): ReactElement;
