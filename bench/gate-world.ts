import { keyOfPattern } from '@countersign/core';
import type { RowChange } from '@countersign/core/ports';
import { openSqlite } from '@countersign/storage';
import { openBenchWorld } from './ours.js';
import { BOOK } from './script.js';

export const GRANTS = 10_000;
export const RULES = 1_000;

export interface GateWorld {
  file: string;
  worldId: string;
  agentId: string;
  chatId: string;
}

/**
 * A world with a thousand rules and ten thousand grants. `spread`: the grants are spread over a thousand chats and ten tools, ten of them for
 * this call. `piled`: all grants are for the same chat, agent and tool, and none matches: an unrealistic worst case.
 */
export async function createGateWorld(file: string, grants: 'spread' | 'piled'): Promise<GateWorld> {
  const world = await openBenchWorld(file, { policy: benchRules() });
  const { id: chatId } = await world.chat();
  const [agent] = await world.agents();
  await world.close();
  if (agent === undefined) throw new Error('there is no agent');
  const about = { file, worldId: world.id, agentId: agent.id, chatId };
  await insertGrants(about, grants);
  return about;
}

/** Rules for this tool, for others, with tool globs, and with patterns that no index can find. The last one matches `city=Lisbon`. */
function benchRules(): string[] {
  const rules = Array.from({ length: RULES - 1 }, (_, i) => {
    switch (i % 10) {
      case 0:
        return `deny ${BOOK}(city=Forbidden-${i})`;
      case 1:
        return `ask ${BOOK}(city=Costly-${i}, nights > 3)`;
      case 2:
        return `deny mcp__server${i}__*`;
      case 3:
        return `deny ${BOOK}(*secret-${i}*)`;
      case 4:
        return `ask tool_${i}`;
      default:
        return `allow ${BOOK}(city=Place-${i}, nights=2)`;
    }
  });
  return [...rules, `allow ${BOOK}(city=Lisbon, nights=2)`];
}

async function insertGrants({ file, worldId, agentId, chatId }: GateWorld, how: 'spread' | 'piled'): Promise<void> {
  const store = await openSqlite(file, { synchronous: 'NORMAL' });
  await store.step(worldId, { chats: [] }, ({ now }) => {
    const changes: RowChange[] = [];
    for (let i = 0; i < GRANTS; i += 1) {
      const here = how === 'piled' || i % 1000 === 0;
      const pattern = `city=Granted-${i} *`;
      const grant = {
        id: `grant_${crypto.randomUUID().replaceAll('-', '')}`,
        worldId,
        chatId: here ? chatId : `chat_${i % 1000}`,
        agentId,
        toolName: here ? BOOK : `tool_${i % 10}`,
        folder: null,
        pattern,
        answeredRule: null,
        grantedBy: 'human',
        grantedAt: now,
        lastUsedAt: now,
        revokedAt: null,
      };
      changes.push({ kind: 'grant-given', grant, key: keyOfPattern(pattern) });
    }
    return { value: undefined, writes: { changes, emissions: [], records: [], wakes: [] } };
  });
  await store.close();
}
