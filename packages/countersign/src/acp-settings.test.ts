import { addAgent, createChat, exportWorld, importWorld, publishMessage, updateAgent } from '@countersign/core';
import { MAY_ALL } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { openAcpWorld, W } from './testing/acp-world.js';
import { freshEngines } from './testing/fresh-engines.js';
import { freshFolder } from './testing/fresh-folder.js';
import { person } from './testing/test-engine.js';

// Registered first, so that the folder is removed after its engines are closed.
const inFolder = freshFolder();
const engines = freshEngines();

async function open() {
  const t = await openAcpWorld(inFolder('work'));
  engines.add(t.engine);
  return t;
}

describe('the program of an ACP agent', () => {
  const coder = { name: 'Builder', provider: 'acp', model: 'fixture' };
  const acp = { command: ['gemini', '--acp'] };

  it.each([
    [{ ...coder }, 'acp', 'needs the command of its program'],
    [{ ...coder, provider: 'external', acp }, 'acp', 'only an agent with the provider acp'],
    [{ ...coder, acp: { command: [] } }, 'acp.command', 'at least 1 item'],
    [{ ...coder, acp: { command: ['./agent'] } }, 'acp.command', 'the name of a program, or its absolute path'],
    [{ ...coder, acp: { ...acp, env: ['COUNTERSIGN_TOKEN'] } }, 'acp.env.0', "can't be a variable of Countersign"],
    [{ ...coder, acp: { ...acp, mode: 'bypassPermissions' } }, 'acp.mode', 'without asking'],
    [{ ...coder, acp: { command: ['codex-acp'], mode: 'agent' } }, 'acp.mode', 'without asking'],
    [{ ...coder, acp: { ...acp, program: 'mcp' } }, 'acp.program', 'reserved'],
  ])('[EXT3.9] [EXT3.11] is refused with the field: %j', async (definition, field, detail) => {
    const t = await open();
    const adding = addAgent(t.runtime, W, definition, person, MAY_ALL);
    await expect(adding).rejects.toMatchObject({ code: 'invalid', field });
    await expect(adding).rejects.toThrow(detail);
    const { agents } = await exportWorld(t.runtime, W);
    expect(agents.map(({ name }) => name)).toEqual(['Coder']);
  });

  it('[EXT3.11] an imported agent is turned off, so its program is not started', async () => {
    const t = await open();
    const file = await exportWorld(t.runtime, W);
    const { id, notes } = await importWorld(t.runtime, { ...file, name: 'Copy' }, person);
    expect(notes.join()).toContain('Coder is turned off');
    const copy = await exportWorld(t.runtime, id);
    expect(copy.agents).toMatchObject([{ name: 'Coder', active: false, acp: { program: 'fixture' } }]);
    const { id: chatId } = await createChat(t.runtime, id);
    await publishMessage(t.runtime, {
      worldId: id,
      chatId,
      speaker: 'human',
      content: '@Coder hello',
      who: person.who,
    });
    await t.engine.quiet();
    expect(t.read('prompts.log')).toEqual([]);
  });

  it('[EXT3.11] is not started by a caller that does not say that it may', async () => {
    const t = await open();
    const refused = { code: 'forbidden', field: 'acp' };
    await expect(addAgent(t.runtime, W, { ...coder, acp }, person)).rejects.toMatchObject(refused);
    await expect(updateAgent(t.runtime, W, 'coder', { acp }, person)).rejects.toMatchObject(refused);
  });

  it('[EXT3.11] the command is in the audit log', async () => {
    const t = await open();
    await addAgent(t.runtime, W, { ...coder, acp }, person, MAY_ALL);
    await updateAgent(t.runtime, W, 'builder', { acp: { command: ['opencode', 'acp'] } }, person, MAY_ALL);
    const items = await t.runtime.store.read((reader) => reader.audit(W, { after: 0, limit: 100 }));
    expect(JSON.stringify(items)).toContain('gemini');
    expect(JSON.stringify(items)).toContain('opencode');
  });
});
