import type { ParseFailure, SigningClause } from '../types.js';

/** A quorum larger than this is a typing error. */
const MOST_SIGNERS = 100;

/** A group or person. A name with a look-alike letter names nobody, and the rule is refused when it is written. */
const NAME = /^@[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;

/** Whether the rest of a rule is meant to say who must sign. */
export function startsSigningClause(text: string, at: number): boolean {
  return /^(?:by|with)(?:[ \t]|$)/i.test(text.slice(at));
}

/** Parses `by @name`, `by N of @name`, `by not requester`, a name followed by `not requester`, or `by agent @id`. `with passkey` can follow a person, or stand alone. */
export function readSigningClause(text: string, from: number): { ok: true; by: SigningClause } | ParseFailure {
  const words = [...text.slice(from).matchAll(/[^ \t]+/g)].map(({ 0: word, index }) => ({ word, at: from + index }));
  let next = 0;
  const peek = (): string | undefined => words[next]?.word;
  const failure = (error: string): ParseFailure => ({
    ok: false,
    error,
    position: words[next]?.at ?? text.trimEnd().length,
  });

  /** Reads `with passkey`, if it is next, and the end of the rule. */
  const finish = (by: SigningClause): { ok: true; by: SigningClause } | ParseFailure => {
    const isWith = peek() === 'with';
    if (isWith) {
      next += 1;
      if (peek() !== 'passkey') return failure('expected "passkey" after "with"');
      next += 1;
    }
    if (peek()?.startsWith('#') === true) return failure('a comment needs a line of its own');
    if (peek() !== undefined) return failure('expected the end of the rule');
    return { ok: true, by: { ...by, ...(isWith ? { passkey: true } : {}) } };
  };

  if (peek() === 'with') return finish({ count: 1 });
  if (peek() !== 'by') return failure(EXPECTED_BY);
  next += 1;
  if (peek() === 'agent') {
    next += 1;
    const name = peek();
    if (name === undefined || !NAME.test(name))
      return failure('expected the id of an agent, as in "by agent @reviewer"');
    next += 1;
    if (peek() !== undefined)
      return failure('expected the end of the rule. Write other signers in a rule of their own');
    return { ok: true, by: { count: 1, agent: nameIn(name) } };
  }

  let count = 1;
  let of: string | undefined;
  if (peek() !== 'not') {
    const number = peek();
    if (number !== undefined && /^[+-]?\d/.test(number)) {
      count = /^\d{1,4}$/.test(number) ? Number(number) : 0;
      if (count < 1 || count > MOST_SIGNERS) return failure(`expected a whole number of people, 1 to ${MOST_SIGNERS}`);
      next += 1;
      if (peek() !== 'of') return failure(`expected "of @group", as in "by ${count} of @finance"`);
      next += 1;
    }
    const name = peek();
    if (name === undefined || !NAME.test(name)) {
      return failure(
        name?.startsWith('@') === true
          ? 'the name of a group or person can contain only letters, digits, . _ and -'
          : 'expected a group or person that starts with @, or "not requester"',
      );
    }
    of = nameIn(name);
    next += 1;
  }
  let notRequester = false;
  if (peek() === 'not') {
    next += 1;
    if (peek() !== 'requester') return failure('expected "requester" after "not"');
    notRequester = true;
    next += 1;
  }
  return finish({ count, ...(of === undefined ? {} : { of }), ...(notRequester ? { notRequester: true } : {}) });
}

const EXPECTED_BY =
  'expected "by @group", "by 2 of @group", "by not requester", "by agent @reviewer" or "with passkey"';

function nameIn(word: string): string {
  return word.slice(1).normalize('NFKC').toLowerCase();
}
