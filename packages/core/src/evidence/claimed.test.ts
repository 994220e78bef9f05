import { readdirSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, it } from 'vitest';
import type * as policyAgentMayAskFor from '../policy/agent-may-ask-for.js';
import type * as policyAllowMatcher from '../policy/allow-matcher.js';
import type * as policyArgumentsAllowConditions from '../policy/arguments/allow-conditions.js';
import type * as policyArgumentsArgumentSchema from '../policy/arguments/argument-schema.js';
import type * as policyArgumentsEmbeddedValues from '../policy/arguments/embedded-values.js';
import type * as policyArgumentsExplainMisses from '../policy/arguments/explain-misses.js';
import type * as policyArgumentsFindMisfit from '../policy/arguments/find-misfit.js';
import type * as policyArgumentsGuardConditions from '../policy/arguments/guard-conditions.js';
import type * as policyArgumentsMiss from '../policy/arguments/miss.js';
import type * as policyArgumentsNamedIndex from '../policy/arguments/named-index.js';
import type * as policyArgumentsPrepareArguments from '../policy/arguments/prepare-arguments.js';
import type * as policyArgumentsScanNamed from '../policy/arguments/scan-named.js';
import type * as policyCanonicalJson from '../policy/canonical-json.js';
import type * as policyCheckToolApproval from '../policy/check-tool-approval.js';
import type * as policyCompilePolicy from '../policy/compile-policy.js';
import type * as policyDefaultSubjects from '../policy/default-subjects.js';
import type * as policyEffectsEffectClause from '../policy/effects/effect-clause.js';
import type * as policyEffectsEffectMatcher from '../policy/effects/effect-matcher.js';
import type * as policyEffectsProposeClause from '../policy/effects/propose-clause.js';
import type * as policyGrantsCoversCall from '../policy/grants/covers-call.js';
import type * as policyGrantsFormatPattern from '../policy/grants/format-pattern.js';
import type * as policyGrantsGrantKeys from '../policy/grants/grant-keys.js';
import type * as policyGrantsProposeRule from '../policy/grants/propose-rule.js';
import type * as policyGrantsSessionPattern from '../policy/grants/session-pattern.js';
import type * as policyGuardMatcher from '../policy/guard-matcher.js';
import type * as policyIndex from '../policy/index.js';
import type * as policyJudge from '../policy/judge.js';
import type * as policyMatchableCall from '../policy/matchable-call.js';
import type * as policyMatcher from '../policy/matcher.js';
import type * as policyPathsJudgeWritten from '../policy/paths/judge-written.js';
import type * as policyPathsNamesPath from '../policy/paths/names-path.js';
import type * as policyPathsProtectPaths from '../policy/paths/protect-paths.js';
import type * as policyPathsSandboxRules from '../policy/paths/sandbox-rules.js';
import type * as policyPathsWithholdPaths from '../policy/paths/withhold-paths.js';
import type * as policyPatternsGlob from '../policy/patterns/glob.js';
import type * as policyPatternsHiddenCharacters from '../policy/patterns/hidden-characters.js';
import type * as policyPatternsHostPattern from '../policy/patterns/host-pattern.js';
import type * as policyPatternsInFolder from '../policy/patterns/in-folder.js';
import type * as policyPatternsLoopback from '../policy/patterns/loopback.js';
import type * as policyPatternsMatchSequence from '../policy/patterns/match-sequence.js';
import type * as policyPatternsPastOptions from '../policy/patterns/past-options.js';
import type * as policyPatternsPathPattern from '../policy/patterns/path-pattern.js';
import type * as policyPatternsPathText from '../policy/patterns/path-text.js';
import type * as policyPatternsScanPattern from '../policy/patterns/scan-pattern.js';
import type * as policyPatternsScanPiece from '../policy/patterns/scan-piece.js';
import type * as policyReachReachesBeyond from '../policy/reach/reaches-beyond.js';
import type * as policyReachReadingRules from '../policy/reach/reading-rules.js';
import type * as policyReachWeakenedPasskeyRule from '../policy/reach/weakened-passkey-rule.js';
import type * as policyReadSubjects from '../policy/read-subjects.js';
import type * as policyRulesFindRules from '../policy/rules/find-rules.js';
import type * as policyRulesParseRule from '../policy/rules/parse-rule.js';
import type * as policyRulesReadPattern from '../policy/rules/read-pattern.js';
import type * as policyRulesReadRules from '../policy/rules/read-rules.js';
import type * as policyRulesSandboxNames from '../policy/rules/sandbox-names.js';
import type * as policyRulesSigningClause from '../policy/rules/signing-clause.js';
import type * as policyRulesUntilClause from '../policy/rules/until-clause.js';
import type * as policyTypes from '../policy/types.js';
import type * as requirementsCheckReceipt from '../requirements/check-receipt.js';
import type * as requirementsDecisionToSign from '../requirements/decision-to-sign.js';
import type * as requirementsDelegations from '../requirements/delegations.js';
import type * as requirementsIsConfirmed from '../requirements/is-confirmed.js';
import type * as requirementsNeededSignatures from '../requirements/needed-signatures.js';
import type * as requirementsReviewers from '../requirements/reviewers.js';
import type { ApprovalRecord, ClaimedEvidence } from '../ports/index.js';

/** Every module that decides whether a call runs, or what approving it takes. */
interface Deciding {
  'policy/agent-may-ask-for.ts': typeof policyAgentMayAskFor;
  'policy/allow-matcher.ts': typeof policyAllowMatcher;
  'policy/arguments/allow-conditions.ts': typeof policyArgumentsAllowConditions;
  'policy/arguments/argument-schema.ts': typeof policyArgumentsArgumentSchema;
  'policy/arguments/embedded-values.ts': typeof policyArgumentsEmbeddedValues;
  'policy/arguments/explain-misses.ts': typeof policyArgumentsExplainMisses;
  'policy/arguments/find-misfit.ts': typeof policyArgumentsFindMisfit;
  'policy/arguments/guard-conditions.ts': typeof policyArgumentsGuardConditions;
  'policy/arguments/miss.ts': typeof policyArgumentsMiss;
  'policy/arguments/named-index.ts': typeof policyArgumentsNamedIndex;
  'policy/arguments/prepare-arguments.ts': typeof policyArgumentsPrepareArguments;
  'policy/arguments/scan-named.ts': typeof policyArgumentsScanNamed;
  'policy/canonical-json.ts': typeof policyCanonicalJson;
  'policy/check-tool-approval.ts': typeof policyCheckToolApproval;
  'policy/compile-policy.ts': typeof policyCompilePolicy;
  'policy/default-subjects.ts': typeof policyDefaultSubjects;
  'policy/effects/effect-clause.ts': typeof policyEffectsEffectClause;
  'policy/effects/effect-matcher.ts': typeof policyEffectsEffectMatcher;
  'policy/effects/propose-clause.ts': typeof policyEffectsProposeClause;
  'policy/grants/covers-call.ts': typeof policyGrantsCoversCall;
  'policy/grants/format-pattern.ts': typeof policyGrantsFormatPattern;
  'policy/grants/grant-keys.ts': typeof policyGrantsGrantKeys;
  'policy/grants/propose-rule.ts': typeof policyGrantsProposeRule;
  'policy/grants/session-pattern.ts': typeof policyGrantsSessionPattern;
  'policy/guard-matcher.ts': typeof policyGuardMatcher;
  'policy/index.ts': typeof policyIndex;
  'policy/judge.ts': typeof policyJudge;
  'policy/matchable-call.ts': typeof policyMatchableCall;
  'policy/matcher.ts': typeof policyMatcher;
  'policy/paths/judge-written.ts': typeof policyPathsJudgeWritten;
  'policy/paths/names-path.ts': typeof policyPathsNamesPath;
  'policy/paths/protect-paths.ts': typeof policyPathsProtectPaths;
  'policy/paths/sandbox-rules.ts': typeof policyPathsSandboxRules;
  'policy/paths/withhold-paths.ts': typeof policyPathsWithholdPaths;
  'policy/patterns/glob.ts': typeof policyPatternsGlob;
  'policy/patterns/hidden-characters.ts': typeof policyPatternsHiddenCharacters;
  'policy/patterns/host-pattern.ts': typeof policyPatternsHostPattern;
  'policy/patterns/in-folder.ts': typeof policyPatternsInFolder;
  'policy/patterns/loopback.ts': typeof policyPatternsLoopback;
  'policy/patterns/match-sequence.ts': typeof policyPatternsMatchSequence;
  'policy/patterns/past-options.ts': typeof policyPatternsPastOptions;
  'policy/patterns/path-pattern.ts': typeof policyPatternsPathPattern;
  'policy/patterns/path-text.ts': typeof policyPatternsPathText;
  'policy/patterns/scan-pattern.ts': typeof policyPatternsScanPattern;
  'policy/patterns/scan-piece.ts': typeof policyPatternsScanPiece;
  'policy/reach/reaches-beyond.ts': typeof policyReachReachesBeyond;
  'policy/reach/reading-rules.ts': typeof policyReachReadingRules;
  'policy/reach/weakened-passkey-rule.ts': typeof policyReachWeakenedPasskeyRule;
  'policy/read-subjects.ts': typeof policyReadSubjects;
  'policy/rules/find-rules.ts': typeof policyRulesFindRules;
  'policy/rules/parse-rule.ts': typeof policyRulesParseRule;
  'policy/rules/read-pattern.ts': typeof policyRulesReadPattern;
  'policy/rules/read-rules.ts': typeof policyRulesReadRules;
  'policy/rules/sandbox-names.ts': typeof policyRulesSandboxNames;
  'policy/rules/signing-clause.ts': typeof policyRulesSigningClause;
  'policy/rules/until-clause.ts': typeof policyRulesUntilClause;
  'policy/types.ts': typeof policyTypes;
  'requirements/check-receipt.ts': typeof requirementsCheckReceipt;
  'requirements/decision-to-sign.ts': typeof requirementsDecisionToSign;
  'requirements/delegations.ts': typeof requirementsDelegations;
  'requirements/is-confirmed.ts': typeof requirementsIsConfirmed;
  'requirements/needed-signatures.ts': typeof requirementsNeededSignatures;
  'requirements/reviewers.ts': typeof requirementsReviewers;
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

it('[CHANGE9.1] no function of policy/ or requirements/ accepts claimed evidence', () => {
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
