import { causeSchema, type Subject } from '@countersign/protocol';

/**
 * What a tool told of its call, if it is a list of subjects. A tool is code from elsewhere: one subject that is none, judged as if
 * it were not there, would let a call past a rule that was written for it.
 */
export function readSubjects(told: unknown): readonly Subject[] | undefined {
  return Array.isArray(told) && told.every(isSubject) ? told : undefined;
}

function isSubject(told: unknown): told is Subject {
  if (typeof told !== 'object' || told === null) return false;
  const { kind, words, spell = [], exact, inner, path, host, argument, why }: Record<string, unknown> = { ...told };
  switch (kind) {
    case 'words':
      return (
        Array.isArray(words) &&
        words.every((word) => typeof word === 'string') &&
        Array.isArray(spell) &&
        spell.every((at) => Number.isSafeInteger(at)) &&
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
