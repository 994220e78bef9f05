import { userInfo } from 'node:os';
import { type Who, whoSchema } from '@countersign/protocol';

/** The person who runs the server. Signs with the home folder's own token and in browser sessions. */
export function ownerOf(): Who {
  const owner = { kind: 'person', id: 'owner', name: 'owner' } as const;
  try {
    return whoSchema.parse({ ...owner, name: userInfo().username });
  } catch {
    // The user has no name, as in some containers.
    return owner;
  }
}

/** `COUNTERSIGN_TOKEN` belongs to nobody in particular: several people may share it. */
export const SHARED_TOKEN: Who = { kind: 'token', id: 'COUNTERSIGN_TOKEN', name: 'COUNTERSIGN_TOKEN' };

/** The token of a program that mounts the API. */
export const PROGRAM_TOKEN: Who = { kind: 'token', id: 'token', name: 'token' };
