import { causeSchema, type Subject } from '@countersign/protocol';

/**
 * Validates the subjects that a tool reports. Tools are third-party code: skipping an invalid subject would let the call bypass a rule about
 * it, so one invalid subject rejects all.
 */
export function readSubjects(reported: unknown): readonly Subject[] | undefined {
  return Array.isArray(reported) && reported.every(isSubject) ? reported : undefined;
}

function isSubject(reported: unknown): reported is Subject {
  if (typeof reported !== 'object' || reported === null) return false;
  const {
    kind,
    words,
    spell = [],
    files = [],
    exact,
    inner,
    path,
    host,
    argument,
    why,
  }: Record<string, unknown> = { ...reported };
  switch (kind) {
    case 'words':
      return (
        Array.isArray(words) &&
        words.every((word) => typeof word === 'string') &&
        Array.isArray(spell) &&
        spell.every((at) => Number.isSafeInteger(at)) &&
        Array.isArray(files) &&
        files.every((at) => Number.isSafeInteger(at)) &&
        (exact === undefined || exact === true) &&
        (inner === undefined || inner === true)
      );
    case 'path':
      return typeof path === 'string' && (argument === undefined || typeof argument === 'string');
    case 'host':
      return typeof host === 'string' && (argument === undefined || typeof argument === 'string');
    case 'dynamic':
      return typeof why === 'string' || causeSchema.safeParse(why).success;
    default:
      return false;
  }
}
