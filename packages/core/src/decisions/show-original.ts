import {
  type AuditEntry,
  CountersignError,
  parseInput,
  type RevealedCall,
  type Signer,
  signerSchema,
} from '@countersign/protocol';
import { displayCall, textAsJson } from '../masking/index.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';
import { openOriginal } from '../facts/seal-original.js';

const PAGE = 500;

/**
 * The original arguments of a call from its audit record (LOG1), even if its chat or world is gone. The access is recorded before the arguments
 * are shown.
 */
export async function showOriginal(
  runtime: Runtime,
  worldId: string,
  invocationId: string,
  signer: Signer,
): Promise<RevealedCall> {
  parseInput(signerSchema, signer, 'signer');
  const ran = await findRun(runtime, worldId, invocationId);
  if (ran === undefined)
    throw new CountersignError(
      'not-found',
      `No call "${invocationId}" ran in this world. Run \`audit list --kind run\` to see the ids.`,
    );
  const args = argumentsOf(runtime, ran, { worldId, id: invocationId });
  const { chatId, agentId, tool } = ran;
  const about = {
    decision: 'original',
    ...(chatId === undefined ? {} : { chatId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(tool === undefined ? {} : { tool }),
    invocationId,
  } as const;
  await runtime.store.transact(worldId, (tx) => writeFact(tx, { kind: 'secrets-revealed', about, by: signer }));
  return { toolCallId: invocationId, toolName: tool ?? '', arguments: displayCall(args) };
}

/** The arguments are sealed only if the record alters them: by a mask, an escape or a placeholder for whitespace. */
function argumentsOf(runtime: Runtime, ran: AuditEntry, about: { worldId: string; id: string }): unknown {
  if (ran.original === undefined) return ran.arguments;
  const text = openOriginal(runtime.store.hashKey, about, ran.original);
  if (text !== undefined) return textAsJson(text);
  throw new CountersignError(
    'conflict',
    "The original arguments were encrypted with another store's key, or were changed. Open the store that ran the call, and run `audit verify`.",
  );
}

/** Finds the last start of the call; a call that ran again after a crash has several. Scans the log, which is fine for rare use. */
async function findRun(runtime: Runtime, worldId: string, invocationId: string): Promise<AuditEntry | undefined> {
  let found: AuditEntry | undefined;
  for (let after = 0; ;) {
    const page = await runtime.store.read(async (reader) => await reader.audit(worldId, { after, limit: PAGE }));
    found = page.findLast((entry) => entry.kind === 'run' && entry.invocationId === invocationId) ?? found;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found;
    after = last.seq;
  }
}
