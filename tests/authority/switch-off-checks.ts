import { posix } from 'node:path';
import { parseSync, Visitor, type Expression, type Statement } from 'oxc-parser';

/** Files whose checks decide who may do something. */
const FILES =
  /\/packages\/(?:server\/src\/(?:app\/check-access|auth\/(?!mounted-auth)|confirmations\/|people\/|passkeys\/|routes\/|gateway\/)|core\/src\/worlds\/refuse-reach)/;

/**
 * Not about roles or credentials: rules `with passkey` (SIGN2), limits, and what doesn't exist or ends in the middle of a request. They have their own tests.
 * Without `noCredential`, an empty credential is a wrong one. Ending a challenge refuses it again.
 */
const OTHERS =
  /^\S+ (?:refuseUnconfirmed|refuseUnknownWorlds|refuseLastOwner|checkFolders|checkWorld)|notYourCall|noCredential|wrongToken|unknownChallenge|tooMany|^people\/recent-sign-in\S* .*unknownSession/;

/** A check that can be switched off, such as `people/access.ts:40 refuseLimited`. */
export type CheckName = string;

declare global {
  /** The check that is switched off, and all checks that were loaded. Only set while their tests run. */
  var authorityChecks: { off?: CheckName; all: Set<CheckName> } | undefined;
}

/**
 * A Vite plugin that can switch off each check of authority in the sources: a statement that calls `refuse…` or `check…`, and an `if` that throws a
 * refusal. The files stay as they are.
 */
export function switchOffChecks(): {
  name: string;
  enforce: 'pre';
  transform(code: string, id: string): string | undefined;
} {
  return {
    name: 'switch-off-checks',
    enforce: 'pre',
    transform: (code, id) => (FILES.test(id) && !id.includes('.test.') ? withSwitches(code, id) : undefined),
  };
}

function withSwitches(code: string, id: string): string {
  const file = posix.join(posix.basename(posix.dirname(id)), posix.basename(id));
  const edits: { at: number; text: string }[] = [];
  const isChecked = (what: string | undefined): what is string => what !== undefined && !OTHERS.test(`${file} ${what}`);
  const switchFor = (start: number, what: string): string => {
    const name = JSON.stringify(`${file}:${code.slice(0, start).split('\n').length} ${what}`);
    edits.push({ at: 0, text: `(globalThis.authorityChecks ??= { all: new Set() }).all.add(${name});` });
    return `globalThis.authorityChecks?.off !== ${name}`;
  };
  new Visitor({
    ExpressionStatement({ start, end, expression }) {
      const called = calledName(expression);
      if (!isChecked(called) || !/^(?:refuse|check)[A-Z]/.test(called)) return;
      edits.push({ at: start, text: `if (${switchFor(start, called)}) {` }, { at: end, text: '}' });
    },
    IfStatement({ test, consequent }) {
      const thrown = thrownBy(consequent, code);
      if (!isChecked(thrown)) return;
      edits.push({ at: test.start, text: `${switchFor(test.start, thrown)} && (` }, { at: test.end, text: ')' });
    },
  }).visit(parseSync(id, code).program);
  return edits
    .map((edit, order) => ({ ...edit, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), code);
}

function calledName(expression: Expression): string | undefined {
  const call = expression.type === 'AwaitExpression' ? expression.argument : expression;
  return call.type === 'CallExpression' && call.callee.type === 'Identifier' ? call.callee.name : undefined;
}

/** What a refusal throws: 401, 403, 404 for a hidden world, or the result of a function that makes one. */
function thrownBy(statement: Statement, code: string): string | undefined {
  const only = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement;
  if (only?.type !== 'ThrowStatement') return undefined;
  const thrown = code.slice(only.argument.start, only.argument.end).replace(/^await /, '');
  const isRefusal = /^new HttpProblem\(40[13],|noWorld\(|^(?:unauthorized|refusal|limitedProblem)\(|'forbidden'/.test(
    thrown,
  );
  return isRefusal ? thrown.replace(/\s+/g, ' ').slice(0, 60) : undefined;
}
