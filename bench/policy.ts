import { compilePolicy, judge, type Policy } from '@countersign/core';
import { shellCmd } from 'countersign';
import { measure, summarize, type Figures, type Plan, type Subject } from './measure.js';

export const POLICY_RULES = 1_000;
export const COMMAND_BYTES = 4 * 1024;

export interface PolicyResult {
  /** Parsing the command and checking it against all rules. */
  short: Figures;
  allowed: Figures;
  nested: Figures;
  /** Parsing only the nested command. */
  tree: Figures;
}

const place = { workingDirectory: '/srv/project', home: '/home/ann' };
// No command runs here. Without a sandbox, no rule with a star would apply.
const tool = shellCmd({ sandbox: { kind: 'sandbox-exec', program: '/nowhere' } });

/** The time to check a 4 kB shell command against a thousand rules. */
export async function policySuite(plan: Plan): Promise<PolicyResult> {
  const world = compiled(rules());
  const none = compiled([]);
  const check = (name: string, command: string, expected: string): Subject => ({
    name,
    run() {
      const subjects = tool.subjects?.({ command }, place) ?? [];
      const { outcome } = judge({ world, agent: none }, { tool: 'shell_cmd', subjects, place });
      if (outcome !== expected) throw new Error(`${name} is ${outcome} instead of ${expected}`);
    },
  });
  const nested = filled(NESTED);
  const figures = await measure(
    [
      check('short', 'git status', 'allow'),
      check('allowed', filled('ls src/part-# && git status; cat notes/#.md | wc -l\n'), 'allow'),
      check('nested', nested, 'none'),
      { name: 'tree', run: () => void tool.subjects?.({ command: nested }, place) },
    ],
    { ...plan, warmUp: plan.warmUp / 5, perRound: 2 },
  );
  const of = (name: string): Figures => figures.get(name) ?? summarize([]);
  return { short: of('short'), allowed: of('allowed'), nested: of('nested'), tree: of('tree') };
}

/** Everything that rules have to look into: wrappers, substitutions, nested shells, loops, here-documents. */
const NESTED = `for f in src-#/*.ts; do timeout 5 grep -q x "$f" && echo "$(wc -l < "$f")"; done
sh -c 'cd part-# && git log --oneline | head -#' > out-#.txt
if [ -f a-# ]; then env A=# make test; else cat <<EOF
line # $(date)
EOF
fi
`;

/** Repeats a part with numbers, so that no two commands are identical. */
function filled(part: string): string {
  let text = '';
  for (let number = 1; text.length + part.length + 20 < COMMAND_BYTES; number += 1) {
    text += part.replaceAll('#', String(number));
  }
  return text;
}

/** Rules of every kind: literal and with stars, for words and paths, for other tools and for all tools, and rules that no index can find. */
function rules(): string[] {
  const kinds = [
    (n: number) => `allow shell_cmd(npm run task-${n})`,
    (n: number) => `allow shell_cmd(tool-${n} *)`,
    (n: number) => `deny shell_cmd(danger-${n} *)`,
    (n: number) => `deny *(~/private-${n}/**)`,
    (n: number) => `deny shell_cmd(* --force-${n} *)`,
    (n: number) => `ask shell_cmd(git push origin-${n} *)`,
    (n: number) => `deny shell_cmd(*secret-${n}*)`,
    (n: number) => `allow read_file(./docs-${n}/**)`,
    (n: number) => `ask mcp__server${n}__*`,
    (n: number) => `deny *(./vault-${n}/*.key)`,
  ];
  const own = [
    'allow shell_cmd(git status)',
    'allow shell_cmd(ls *)',
    'allow shell_cmd(cat *)',
    'allow shell_cmd(wc *)',
  ];
  const others = Array.from({ length: POLICY_RULES - own.length }, (_, n) => kinds[n % kinds.length]?.(n) ?? 'deny x');
  return [...others, ...own];
}

function compiled(texts: readonly string[]): Policy {
  const policy = compilePolicy(texts);
  if (!policy.ok) throw new Error(`${texts[policy.index]}: ${policy.error}`);
  return policy.policy;
}
