import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { passkeyConfirmationSchema } from './passkeys.js';

/** A person who delegated their right to sign, or to whom someone did. */
export const principalSchema = z.object({ id: text('Id of the person.'), name: text('Name of the person.') });
/** A person who delegated their right to sign. */
export type Principal = z.infer<typeof principalSchema>;

const id = z.string().min(1).max(200);
const toolSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9_*-]+$/, 'must be the name of a tool, which can contain only A-Z a-z 0-9 _ - and *');

/** Lets another person sign calls for you (SIGN4). If you have a trusted passkey, it must confirm this. */
export const newDelegationSchema = z.strictObject({
  to: field(id.clone(), 'Id of the person who signs for you. They need a role that may sign calls.'),
  tools: field(
    z.array(toolSchema).min(1, 'name at least one tool').max(50).exactOptional(),
    'Names of tools, which can contain `*`. Default: all.',
  ),
  worlds: field(
    z.array(id).min(1, 'name at least one world').max(50).exactOptional(),
    'Ids of worlds. Default: all in which both of you may sign calls.',
  ),
  from: field(z.iso.datetime({ offset: true }).exactOptional(), 'When it starts. Default: now.'),
  until: field(z.iso.datetime({ offset: true }), 'When it ends, at most 90 days from now.'),
  confirmation: field(passkeyConfirmationSchema.exactOptional(), 'A challenge that was signed with a passkey.'),
});
export type NewDelegation = z.infer<typeof newDelegationSchema>;

/** Who can sign calls for whom, and until when (SIGN4). */
export const delegationSchema = z.object({
  id: text('Id of the delegation.'),
  by: field(principalSchema.clone(), 'The person whose right to sign it is.'),
  to: field(principalSchema.clone(), 'The person who can sign.'),
  tools: field(z.array(z.string()).exactOptional(), 'Names of tools, which can contain *. Absent: all.'),
  worlds: field(z.array(z.string()).exactOptional(), 'Ids of worlds. Absent: all.'),
  from: text('When it starts.'),
  until: text('When it ends.'),
});
api.add(delegationSchema, { id: 'Delegation' });
export type Delegation = z.infer<typeof delegationSchema>;
