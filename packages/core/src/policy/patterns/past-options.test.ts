import { describe, expect, it } from 'vitest';
import { compilePolicy, NO_RULES } from '../compile-policy.js';
import { judge } from '../judge.js';

function outcome(rule: string, command: string): string {
  const compiled = compilePolicy(['allow shell_cmd', rule]);
  if (!compiled.ok) throw new Error(compiled.error);
  const subjects = [{ kind: 'words' as const, words: command.split(' ') }];
  const place = { workingDirectory: '/srv/project', home: '/home/ann' };
  return judge({ world: compiled.policy, agent: NO_RULES }, { tool: 'shell_cmd', subjects, place }).outcome;
}

describe('a deny rule', () => {
  it.each([
    ['git push *', 'git --no-pager push origin'],
    ['git push *', 'git -P push'],
    ['git push *', 'git -C . push'],
    ['git push *', 'git -c a=b --no-pager push x'],
    ['npm publish *', 'npm --silent publish'],
    ['npm publish', 'npm --loglevel=error publish'],
    ['kubectl delete *', 'kubectl -n prod delete pod x'],
    ['gh pr merge *', 'gh pr -R a/b merge 1'],
    ['gh pr merge *', 'gh -R a/b pr --admin merge 1'],
    ['aws s3 rm *', 'aws --profile a s3 --recursive rm x'],
    ['rm -rf *', 'rm -fr x'],
    ['rm -rf *', 'rm -r -f x'],
    ['rm -rf *', 'rm x -rfv'],
    ['rm -r -f *', 'rm -rf x'],
    ['git push --force *', 'git push origin main --force'],
    ['git push -f', 'git -P push -f'],
    ['git push *', 'git -- push'],
  ])('[RULE1] %s matches %s', (pattern, command) => {
    expect(outcome(`deny shell_cmd(${pattern})`, command)).toBe('deny');
    expect(outcome(`ask shell_cmd(${pattern})`, command)).toBe('ask');
  });

  it.each([
    ['git push *', 'git log --grep push'],
    ['git push *', 'git commit -m push'],
    ['git push *', 'git status -s push'],
    ['git status', 'git status -s'],
    ['rm -rf *', 'rm -r x'],
    ['rm -rf *', 'rm -- -rf'],
    ['find -delete *', 'find . -type d -name elt'],
    ['git push --force *', 'git push origin'],
    ['npm publish *', 'npm run publish'],
  ])('[RULE1] %s does not match %s', (pattern, command) => {
    expect(outcome(`deny shell_cmd(${pattern})`, command)).toBe('allow');
  });
});
