import { createClient } from '@countersign/client';
import { scripted } from '@countersign/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { findOtherFolders } from '../../packages/terminal/src/commands/gate/gate-world.js';
import { openHarbour } from './fixture.js';

it('[GATE7.3] [GATE7.7] the calls of other folders go to no world whose admin has given it that name', async () => {
  const opened = await openHarbour(scripted(() => 'ok'));
  onTestFinished(async () => await opened.close());
  const { client: owner, port } = opened;
  const annex = await owner.createWorld({ name: 'Annex', mode: 'ask' });
  const mia = await owner.addPerson({ name: 'Mia', worldRoles: { [annex.id]: 'admin' } });
  const { token } = await owner.createToken(mia.id, { name: 'laptop', scopes: ['read', 'admin'] });
  const admin = createClient({ url: `http://127.0.0.1:${port}`, token });
  expect(await admin.updateWorld(annex.id, { name: 'Other folders' })).toMatchObject({ id: annex.id });
  const found = await findOtherFolders(owner);
  expect(found.id).toBeUndefined();
  const id = await found.create();
  expect(id).not.toBe(annex.id);
  expect((await findOtherFolders(owner)).id).toBe(id);
});
