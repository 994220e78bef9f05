import type { Signer } from '@countersign/protocol';

/** Who decides, and from where. Without it, the program itself signs. */
export interface SignedBy {
  /** A person's name, which is then also their id, or their id and name. */
  who?: string | { id: string; name: string };
  /** The device or client, such as "Chrome on Linux". */
  via?: string;
  /** The id of a registered client, if it sent the decision. */
  client?: string;
}

/** Recorded when a program uses the library and names nobody. */
export const PROGRAM: Signer = Object.freeze({
  who: Object.freeze({ kind: 'token', id: 'program', name: 'program' }),
  via: 'library',
});

/** The program is trusted code: it could open the store itself. Only people's requests need a confirmation (SIGN2.8) or a role (SAFE2). */
export const TRUSTED = { isConfirmed: true, may: (): boolean => true } as const;

/** The signer to record. Core refuses it if a field is invalid. */
export function signerOf(by: SignedBy | undefined): Signer {
  if (by === undefined) return PROGRAM;
  const { who, ...rest } = by;
  if (who === undefined) return { ...PROGRAM, ...rest };
  const person = typeof who === 'string' ? { id: who, name: who } : who;
  return { ...PROGRAM, ...rest, who: { ...person, kind: 'person' } };
}
