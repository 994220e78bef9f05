import { createHash, randomBytes } from 'node:crypto';
import { newClientSchema, parseInput, type NewClient, type Signer } from '@countersign/protocol';
import type { ClientRecord } from '../ports/index.js';
import { newId } from '../turn/ids.js';
import { nameClientTools } from './client-tools.js';
import { changeWorld } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';

/** Registers a client. The secret is returned only here; the store keeps a hash. */
export async function registerClient(
  runtime: Runtime,
  worldId: string,
  input: NewClient,
  signer: Signer | undefined,
): Promise<{ record: ClientRecord; secret: string }> {
  const client = parseInput(newClientSchema, input, 'client');
  const id = newId('client');
  const secret = randomBytes(32).toString('base64url');
  const tools = nameClientTools(client, id);
  const record = await changeWorld(runtime, 'register-client', worldId, async ({ tx }) => {
    const made: ClientRecord = {
      id,
      worldId,
      label: client.label,
      secretHash: hashSecret(secret).toString('hex'),
      approvals: client.approvals,
      tools,
      leftAt: tx.now(),
      connectedTo: '',
      createdAt: tx.now(),
    };
    await writeFact(tx, {
      kind: 'client-registered',
      client: made,
      toolNames: tools.map(({ name }) => name),
      by: signer,
    });
    return made;
  });
  return { record, secret };
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
