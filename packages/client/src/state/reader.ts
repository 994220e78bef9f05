import { mayDo, type Me } from '@countersign/protocol';
import { ClientError } from '../http/client-error.js';
import type { Client } from '../http/client.js';

/** The person or token that uses this client, in one world. */
export interface Reader {
  readonly id: string;
  /** False for a shared token, which never counts where a rule says who must sign (SIGN1.1). */
  readonly isPerson: boolean;
  /** Whether the role may approve and deny calls. */
  readonly maySign: boolean;
  /** Whether the role may answer questions. */
  readonly mayAnswer: boolean;
}

/** Undefined if the server doesn't say, such as a mounted API without `GET /me`. */
export async function readReader(
  client: Pick<Client, 'me'>,
  worldId: string,
  options: { signal?: AbortSignal } = {},
): Promise<Reader | undefined> {
  try {
    return readerIn(await client.me(options), worldId);
  } catch (error) {
    if (error instanceof ClientError && error.kind === 'problem') return undefined;
    throw error;
  }
}

export function readerIn(me: Me, worldId: string): Reader {
  return {
    id: me.id,
    isPerson: me.kind === 'person',
    maySign: mayDo(me, 'sign', worldId),
    mayAnswer: mayDo(me, 'chat', worldId),
  };
}
