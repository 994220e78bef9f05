import type { MatchableCall } from '../matchable-call.js';
import type { PatternWord } from '../types.js';
import type { NamedKey, NamedMatcher } from './miss.js';
import { foldText, looksLikePath } from './prepare-arguments.js';

interface Keyed {
  readonly named: NamedMatcher;
}

/** Rules with conditions, indexed by argument name and literal value, so that a thousand rules cost little more than one. */
export interface NamedIndex<Rule extends Keyed> {
  readonly byName: Map<string, { readonly all: Rule[]; readonly byText: Map<string, Rule[]> }>;
  readonly withoutKey: Rule[];
}

export function addNamed<Rule extends Keyed>({ byName, withoutKey }: NamedIndex<Rule>, rule: Rule): void {
  const { key } = rule.named;
  if (key === undefined) {
    withoutKey.push(rule);
    return;
  }
  let group = byName.get(key.name);
  if (group === undefined) byName.set(key.name, (group = { all: [], byText: new Map() }));
  group.all.push(rule);
  const siblings = group.byText.get(key.text);
  if (siblings === undefined) group.byText.set(key.text, [rule]);
  else siblings.push(rule);
}

/** Rules whose conditions may be met. Values that are compared as paths or hosts are not looked up by text. */
export function* findNamed<Rule extends Keyed>(
  { byName, withoutKey }: NamedIndex<Rule>,
  call: MatchableCall,
  reading: 'allow' | 'guard',
): Generator<Rule> {
  for (const [name, { all, byText }] of byName) {
    const texts = call.reportedFor(name).length > 0 ? undefined : textsOf(call, name, reading);
    if (texts === undefined) yield* all;
    else for (const text of new Set(texts)) yield* byText.get(text) ?? [];
  }
  yield* withoutKey;
}

/** Undefined if any rule for this argument may match. */
function textsOf(call: MatchableCall, name: string, reading: 'allow' | 'guard'): readonly string[] | undefined {
  if (reading === 'allow') {
    const text = call.arguments?.one(name)?.text;
    return text === undefined ? [] : [foldKey(text)];
  }
  const leaves = call.arguments?.all(name) ?? [];
  return leaves.some((leaf) => looksLikePath(leaf.text)) ? undefined : leaves.map((leaf) => leaf.folded);
}

/** The key of a condition `name=value` with a literal value. */
export function keyOf(name: string, value: PatternWord): NamedKey | undefined {
  const [only, second] = value;
  if (second !== undefined || (only !== undefined && !('text' in only))) return undefined;
  return { name, text: foldKey(only?.text ?? '') };
}

function foldKey(text: string): string {
  return foldText(text).trim();
}
