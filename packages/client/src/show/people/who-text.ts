import { forText, type Principal, type Signature, type Who } from '@countersign/protocol';

/** A name for people. An agent is marked as one, and so is someone who signed for another person: `Bob, for Ada Lovelace`. */
export function nameOf(who: Who & Pick<Signature, 'for'>): string {
  return who.kind === 'agent' ? `${who.name} (agent)` : `${who.name}${forText(who)}`;
}

/** The name of a person who wrote a message, or undefined for the reader. `me`: the reader's id; while it is unknown, all are the reader. */
export function writerName(
  { name, who }: { name: string; who?: Who | undefined },
  me: string | undefined,
): string | undefined {
  if (name === 'schedule' && who !== undefined) return `schedule of ${who.name}`;
  if (name !== 'human') return name;
  return who?.kind !== 'person' || me === undefined || who.id === me ? undefined : who.name;
}

/** Our own clients, by their label. */
const PLACES = new Map([
  ['web', 'the web app'],
  ['terminal', 'the terminal'],
  ['editor', 'the editor'],
]);

/** `, from Chrome on Linux`. Empty if unknown, or for a program that sent the token without registering as a client. */
export function fromText(via: string | undefined): string {
  if (via === undefined || via === 'http') return '';
  return `, from ${PLACES.get(via.toLowerCase()) ?? via}`;
}

/** `Ada Lovelace, from Chrome on Linux`. `principal`: the person for whom they signed. */
export function signedText(who: Who | undefined, via?: string, principal?: Principal): string {
  if (who === undefined) return '';
  return `${nameOf(who)}${forText({ for: principal })}${fromText(via)}`;
}
