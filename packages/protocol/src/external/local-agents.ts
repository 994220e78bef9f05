import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import type { World } from '../worlds/worlds.js';

/**
 * `absent`: not installed. `open`: installed, and its calls need no approval here. `gated`: each call needs approval. `changed`: its gate doesn't hold
 * any more. `run-only`: it has no hook that we gate.
 */
const localStateSchema = z.enum(['absent', 'open', 'gated', 'changed', 'run-only']);

/** A coding agent on the computer of the server, for the user that runs it. */
export const localAgentSchema = z.object({
  id: text('Its program, such as claude.'),
  name: text('Its name.'),
  version: text('Its version, if it is installed and says it.').exactOptional(),
  state: field(
    localStateSchema.clone(),
    'absent: not installed. open: not gated. gated: each call needs approval. changed: its gate does not hold. run-only: it has no hook that can be gated.',
  ),
  problem: text('Why its gate does not hold, or can’t be installed.').exactOptional(),
  changes: field(
    z
      .array(
        z.object({
          path: text('The file.'),
          hooks: field(z.number(), 'How many events have other hooks.'),
          permissions: field(z.number(), 'How many permission settings change.'),
          others: field(z.number(), 'How many other settings change.'),
        }),
      )
      .exactOptional(),
    'What gating it would change: how many hooks, permission settings and other settings in which file.',
  ),
  folders: field(
    z.array(z.object({ folder: text('The folder.'), world: text('Id of the world.') })),
    'From where its calls go to which world.',
  ),
  elsewhere: text('The world for calls from other folders. Absent: they are refused.').exactOptional(),
  tokenId: text('Id of the token of its gate, which can get further worlds.').exactOptional(),
});
api.add(localAgentSchema, { id: 'LocalAgent' });
export type LocalAgent = z.infer<typeof localAgentSchema>;

/** Gates an agent with a token that was created for it, or sends the calls of one more folder to its world. */
export const localGateSchema = z.strictObject({
  tokenId: field(z.string().min(1).max(200), 'Id of a token of an external agent of this program.'),
  token: field(
    z.string().min(1).max(500).exactOptional(),
    'The token, if the agent isn’t gated yet. Without it, the gate that has this token gets one more folder.',
  ),
  world: field(z.string().min(1).max(200), 'A world of the token. The calls of its folder go there.'),
  elsewhere: field(z.string().min(1).max(200).exactOptional(), 'A world of the token for calls from other folders.'),
});
export type NewLocalGate = z.infer<typeof localGateSchema>;

/**
 * Whether a gate may send the calls of folders without a world here (GATE7.7). By its id, which says for what it was created: an admin of another world could
 * give that one the same name, and then decide about these calls.
 */
export function isOtherFolders({ id, workingDirectory }: Pick<World, 'id' | 'workingDirectory'>): boolean {
  return /^other-folders(?:-\d+)?$/.test(id) && workingDirectory === undefined;
}
