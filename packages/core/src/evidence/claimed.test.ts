import { readdirSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, it } from 'vitest';
import type { ApprovalRecord, ClaimedEvidence } from '../ports/index.js';

/** Every module that decides whether a call runs, or what approving it takes. */
interface Deciding {
  'policy/agent-may-ask-for.ts': typeof import('../policy/agent-may-ask-for.js');
  'policy/allow-matcher.ts': typeof import('../policy/allow-matcher.js');
  'policy/arguments/allow-conditions.ts': typeof import('../policy/arguments/allow-conditions.js');
  'policy/arguments/argument-schema.ts': typeof import('../policy/arguments/argument-schema.js');
  'policy/arguments/embedded-values.ts': typeof import('../policy/arguments/embedded-values.js');
  'policy/arguments/explain-misses.ts': typeof import('../policy/arguments/explain-misses.js');
  'policy/arguments/find-misfit.ts': typeof import('../policy/arguments/find-misfit.js');
  'policy/arguments/guard-conditions.ts': typeof import('../policy/arguments/guard-conditions.js');
  'policy/arguments/miss.ts': typeof import('../policy/arguments/miss.js');
  'policy/arguments/named-index.ts': typeof import('../policy/arguments/named-index.js');
  'policy/arguments/prepare-arguments.ts': typeof import('../policy/arguments/prepare-arguments.js');
  'policy/arguments/scan-named.ts': typeof import('../policy/arguments/scan-named.js');
  'policy/canonical-json.ts': typeof import('../policy/canonical-json.js');
  'policy/check-tool-approval.ts': typeof import('../policy/check-tool-approval.js');
  'policy/compile-policy.ts': typeof import('../policy/compile-policy.js');
  'policy/default-subjects.ts': typeof import('../policy/default-subjects.js');
  'policy/effects/effect-clause.ts': typeof import('../policy/effects/effect-clause.js');
  'policy/effects/effect-matcher.ts': typeof import('../policy/effects/effect-matcher.js');
  'policy/effects/propose-clause.ts': typeof import('../policy/effects/propose-clause.js');
  'policy/grants/covers-call.ts': typeof import('../policy/grants/covers-call.js');
  'policy/grants/format-pattern.ts': typeof import('../policy/grants/format-pattern.js');
  'policy/grants/grant-keys.ts': typeof import('../policy/grants/grant-keys.js');
  'policy/grants/propose-rule.ts': typeof import('../policy/grants/propose-rule.js');
  'policy/grants/session-pattern.ts': typeof import('../policy/grants/session-pattern.js');
  'policy/guard-matcher.ts': typeof import('../policy/guard-matcher.js');
  'policy/index.ts': typeof import('../policy/index.js');
  'policy/judge.ts': typeof import('../policy/judge.js');
  'policy/matchable-call.ts': typeof import('../policy/matchable-call.js');
  'policy/matcher.ts': typeof import('../policy/matcher.js');
  'policy/paths/judge-written.ts': typeof import('../policy/paths/judge-written.js');
  'policy/paths/names-path.ts': typeof import('../policy/paths/names-path.js');
  'policy/paths/protect-paths.ts': typeof import('../policy/paths/protect-paths.js');
  'policy/paths/sandbox-rules.ts': typeof import('../policy/paths/sandbox-rules.js');
  'policy/paths/withhold-paths.ts': typeof import('../policy/paths/withhold-paths.js');
  'policy/patterns/glob.ts': typeof import('../policy/patterns/glob.js');
  'policy/patterns/hidden-characters.ts': typeof import('../policy/patterns/hidden-characters.js');
  'policy/patterns/host-pattern.ts': typeof import('../policy/patterns/host-pattern.js');
  'policy/patterns/in-folder.ts': typeof import('../policy/patterns/in-folder.js');
  'policy/patterns/loopback.ts': typeof import('../policy/patterns/loopback.js');
  'policy/patterns/match-sequence.ts': typeof import('../policy/patterns/match-sequence.js');
  'policy/patterns/past-options.ts': typeof import('../policy/patterns/past-options.js');
  'policy/patterns/path-pattern.ts': typeof import('../policy/patterns/path-pattern.js');
  'policy/patterns/path-text.ts': typeof import('../policy/patterns/path-text.js');
  'policy/patterns/scan-pattern.ts': typeof import('../policy/patterns/scan-pattern.js');
  'policy/patterns/scan-piece.ts': typeof import('../policy/patterns/scan-piece.js');
  'policy/reach/reaches-beyond.ts': typeof import('../policy/reach/reaches-beyond.js');
  'policy/reach/weakened-passkey-rule.ts': typeof import('../policy/reach/weakened-passkey-rule.js');
  'policy/read-subjects.ts': typeof import('../policy/read-subjects.js');
  'policy/rules/find-rules.ts': typeof import('../policy/rules/find-rules.js');
  'policy/rules/parse-rule.ts': typeof import('../policy/rules/parse-rule.js');
  'policy/rules/read-pattern.ts': typeof import('../policy/rules/read-pattern.js');
  'policy/rules/read-rules.ts': typeof import('../policy/rules/read-rules.js');
  'policy/rules/signing-clause.ts': typeof import('../policy/rules/signing-clause.js');
  'policy/types.ts': typeof import('../policy/types.js');
  'requirements/check-receipt.ts': typeof import('../requirements/check-receipt.js');
  'requirements/decision-to-sign.ts': typeof import('../requirements/decision-to-sign.js');
  'requirements/delegations.ts': typeof import('../requirements/delegations.js');
  'requirements/is-confirmed.ts': typeof import('../requirements/is-confirmed.js');
  'requirements/needed-signatures.ts': typeof import('../requirements/needed-signatures.js');
  'requirements/reviewers.ts': typeof import('../requirements/reviewers.js');
}

/** How deep to look into a parameter. */
type Less = [never, 0, 1, 2, 3];

/** `true` if claimed evidence fits into a value of this type, at most four properties deep. */
type Holds<T, Depth extends number = 4> = [Depth] extends [never]
  ? never
  : T extends ClaimedEvidence
    ? true
    : T extends (...parameters: never) => unknown
      ? never
      : T extends readonly (infer One)[]
        ? Holds<One, Less[Depth]>
        : T extends object
          ? { [Key in keyof T]-?: Holds<T[Key], Less[Depth]> }[keyof T]
          : never;

/** The names of functions of a module that accept claimed evidence. */
type Accepting<Module> = {
  [Name in keyof Module]: Module[Name] extends (...parameters: infer Parameters) => unknown
    ? true extends Holds<Parameters[number]>
      ? Name
      : never
    : never;
}[keyof Module];

type AllAccepting = { [Path in keyof Deciding]: Accepting<Deciding[Path]> }[keyof Deciding];

it('[A60.1] no function of policy/ or requirements/ accepts claimed evidence', () => {
  expectTypeOf<AllAccepting>().toEqualTypeOf<never>();
});

it('the check finds a function that accepts it, alone, in a record, and in a list', () => {
  interface Module {
    alone: (claimed: ClaimedEvidence | null) => boolean;
    record: (about: { approval: ApprovalRecord }) => boolean;
    list: (approvals: readonly ApprovalRecord[]) => boolean;
    signed: (approval: Pick<ApprovalRecord, 'id' | 'rehearsal' | 'preview'>) => boolean;
  }
  expectTypeOf<Accepting<Module>>().toEqualTypeOf<'alone' | 'record' | 'list'>();
});

it('the check covers every module', () => {
  const root = new URL('../', import.meta.url);
  const modules = ['policy', 'requirements'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const sources = modules.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const text = readFileSync(new URL(import.meta.url), 'utf8');
  expect(sources.filter((path) => !text.includes(`'../${path.replace(/\.ts$/, '.js')}'`))).toEqual([]);
});
