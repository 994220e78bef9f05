import { addAgent, createWorld, updateWorld, type Engine } from '@countersign/core';
import { SYSTEM, type Signer } from '@countersign/protocol';
import { harbourAgents, layOutHarbour } from './harbour.js';

const FIRST_RUN: Signer = { who: SYSTEM, via: 'first run' };
const ID = 'harbour';

/** Creates the demo world on the first run only, so that it stays deleted once a person deletes it. An interrupted creation is completed. */
export async function makeDemoWorld({ runtime }: Engine, folderOf: (worldId: string) => string): Promise<void> {
  const found = await runtime.store.read(async (reader) => ({
    isEmpty: (await reader.worlds()).length === 0 && !(await reader.worldIdTaken(ID)),
    half: await reader.world(ID),
    agents: await reader.agents(ID),
    chats: await reader.chats(ID),
  }));
  const isHalf = found.half !== undefined && found.half.settings.mainAgent === undefined && found.chats.length === 0;
  if (!found.isEmpty && !isHalf) return;
  if (found.half === undefined) {
    const description =
      'A demo that needs no API key: Scout looks through a folder of notes, Mason acts on it, and you approve.';
    await createWorld(runtime, { name: 'Harbour', description }, FIRST_RUN);
  }
  await layOutHarbour(folderOf(ID));
  for (const agent of harbourAgents('scripted', 'demo')) {
    if (!found.agents.some(({ definition }) => definition.name === agent.name))
      await addAgent(runtime, ID, agent, FIRST_RUN);
  }
  await updateWorld(runtime, ID, { mainAgent: 'scout' }, FIRST_RUN);
}
