import { z } from 'zod';
import { api, field, text } from '../input/field.js';

const count = (description: string): z.ZodNumber => field(z.number().int().min(0), description);

/** A commit that the run made, as in the draft's Git folder. Text is masked. */
const runCommitSchema = z.object({
  id: text('Id of the commit.'),
  subject: text('First line of its message.'),
  message: text('Its whole message.'),
  author: text('Who wrote it, as `Name <address>`.'),
  files: count('Number of paths that it changes.'),
});
export type RunCommit = z.infer<typeof runCommitSchema>;

const runRefSchema = z.object({
  name: text('Full name, such as `refs/heads/main`.'),
  from: text('Commit that it names in the folder.').exactOptional(),
  to: text('Commit that it names in the draft.').exactOptional(),
  how: field(
    z.enum(['moves', 'new', 'deleted', 'stays']),
    'What applying does to it. stays: it is listed, but never applied.',
  ),
  why: text('Why it stays, such as `runs-later`, `rule` or `other-ref`.').exactOptional(),
  paths: field(z.array(z.string()).exactOptional(), 'Some of the paths that are the reason why it stays.'),
});
export type RunRef = z.infer<typeof runRefSchema>;

export const triedHostSchema = z.object({
  host: text('Name or address.'),
  port: field(z.number().int().min(0).max(65_535), 'Port, or 0 if only the name was asked for.'),
  allowed: field(z.boolean(), 'Whether the run reached it.'),
  count: count('Number of attempts.'),
});
export type TriedHost = z.infer<typeof triedHostSchema>;

/** What a run's card shows besides the files. The effect hash covers all of it. */
export const runEffectSchema = z.object({
  program: field(z.array(z.string()).min(1), 'The program and its arguments.'),
  exitCode: field(z.number().int(), 'Exit code of the program.'),
  part: field(
    z.object({ of: text('Id of the run that it is a part of.'), by: text('Who selected it.') }).exactOptional(),
    'Set for a part of what the program changed. Nobody has run this combination.',
  ),
  requests: field(
    z
      .array(
        z.object({
          by: text('Who asked for changes.'),
          message: text('What to change.'),
          comments: count('Number of comments on files.'),
        }),
      )
      .exactOptional(),
    'What people asked to change before this, oldest first.',
  ),
  later: field(
    z.array(z.array(z.string()).min(1)).exactOptional(),
    'Programs that ran in the draft after the first one, oldest first.',
  ),
  sinceLook: field(
    z
      .object({
        added: field(z.array(z.string()), 'Paths that were not part of it.'),
        changed: field(z.array(z.string()), 'Paths with another content than then.'),
        removed: field(z.array(z.string()), 'Paths that are no longer part of it.'),
        unlisted: count('Number of paths that are not listed.'),
      })
      .exactOptional(),
    'How this change differs from the one that was last proposed.',
  ),
  commits: field(z.array(runCommitSchema).exactOptional(), 'New commits, oldest first.'),
  refs: field(z.array(runRefSchema).exactOptional(), 'Branches and tags that move, and other refs that stay.'),
  notApplied: field(
    z
      .array(
        z.object({
          path: text('Path, relative to the working folder.'),
          files: count('Number of files.'),
          hint: text('Command that makes it again, such as `npm ci`.').exactOptional(),
        }),
      )
      .exactOptional(),
    'Ignored files and folders, which are not applied.',
  ),
  hosts: field(z.array(triedHostSchema).exactOptional(), 'Hosts that the program tried to reach.'),
  variables: field(z.array(z.string()).exactOptional(), 'Names of the environment variables that it could read.'),
  hidden: field(z.number().int().min(0).exactOptional(), 'Number of paths that rules hid from it.'),
  trackedHidden: field(
    z.literal(true).exactOptional(),
    'Set if a hidden path is tracked by Git: its content in old commits was not hidden.',
  ),
  changedOutside: field(
    z.array(z.string()).exactOptional(),
    'Up to 100 other paths of the folder that changed outside while the program ran.',
  ),
  notes: field(
    z.array(z.string()).exactOptional(),
    'What people should know before they sign, such as what a login made reachable. One sentence each.',
  ),
  branch: text('Branch that gets the changes. The working tree stays as it is.').exactOptional(),
  login: field(
    z
      .object({
        agent: text('The agent whose login was renewed.'),
        file: text('File of the real home that gets it.'),
        account: field(
          z.enum(['same', 'other', 'unknown']),
          'Whether the new login is for the same account. Only same is written back without a further choice.',
        ),
        hash: text('SHA-256 of the renewed login, which is not shown. Only this one is written back.'),
        included: field(
          z.literal(true).exactOptional(),
          'Set if a person chose to write it back whatever its account is.',
        ),
      })
      .exactOptional(),
    'A renewed login of the agent, which an approval writes back.',
  ),
});
api.add(runEffectSchema, { id: 'RunEffect' });
/** What a run's card shows besides the files. */
export type RunEffect = z.infer<typeof runEffectSchema>;
