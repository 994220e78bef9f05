import { z } from 'zod';
import { passkeyConfirmationSchema } from './passkeys.js';

/** A person who delegated their right to sign, or to whom someone did. */
export const principalSchema = z.object({ id: z.string(), name: z.string() });
/** A person who delegated their right to sign. */
export type Principal = z.infer<typeof principalSchema>;

const id = z.string().min(1).max(200);
const toolSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9_*-]+$/, 'must be the name of a tool, which can contain only A-Z a-z 0-9 _ - and *');

/** Lets another person sign calls for you (A51). If you have a trusted passkey, it must confirm this. */
export const newDelegationSchema = z.strictObject({
  /** The id of the person who signs. */
  to: id,
  /** Names of tools, which can contain `*`. Default: all. */
  tools: z.array(toolSchema).min(1, 'name at least one tool').max(50).exactOptional(),
  /** Ids of worlds. Default: all in which both people may sign. */
  worlds: z.array(id).min(1, 'name at least one world').max(50).exactOptional(),
  /** Default: now. */
  from: z.iso.datetime({ offset: true }).exactOptional(),
  until: z.iso.datetime({ offset: true }),
  confirmation: passkeyConfirmationSchema.exactOptional(),
});
export type NewDelegation = z.infer<typeof newDelegationSchema>;

/** Who can sign calls for whom, and until when (A51). */
export const delegationSchema = z.object({
  id: z.string(),
  /** The person whose right to sign it is. */
  by: principalSchema,
  /** The person who can sign. */
  to: principalSchema,
  /** Names of tools, which can contain `*`. Absent: all. */
  tools: z.array(z.string()).exactOptional(),
  /** Ids of worlds. Absent: all. */
  worlds: z.array(z.string()).exactOptional(),
  from: z.string(),
  until: z.string(),
});
export type Delegation = z.infer<typeof delegationSchema>;
