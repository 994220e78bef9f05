import { describe, expect, it } from 'vitest';
import { subjectsOfCommand } from '../../shell/subjects-of-command.js';

/** Whether `allow shell_cmd(program *)` would not be enough. */
function needsMore(command: string): boolean {
  return subjectsOfCommand(command).some(
    (subject) => subject.kind === 'dynamic' || (subject.kind === 'words' && (subject.spell ?? []).some((at) => at > 0)),
  );
}

describe('commands that a broad rule does not cover', () => {
  it.each(
    `git archive --remote=./other HEAD
     git remote set-url origin ./other
     git remote add other ./other
     curl --etag-save a http://b
     curl --stderr a http://b
     curl --libcurl a http://b
     curl -w '%output{a}' http://b
     install --strip-program=./a -s b c
     diff3 --diff-program=./a b c d
     sdiff --diff-program=./a b c
     svn diff --diff-cmd=./a
     hg -R ./a log
     pdflatex -shell-escape a
     kubectl get pods --kubeconfig=./a
     helm template --post-renderer ./a b
     nc -e ./a b 1
     pandoc --filter ./a b
     pandoc -L ./a b
     rustc -C linker=./a b.rs
     mypy --python-executable ./a b
     pylint --init-hook=a b
     rspec -r ./a
     playwright test -c a
     rollup -p ./a
     ts-node -r ./a b
     cargo watch -x a
     cross-env A=1 ./a
     ldd ./a
     git archive HEAD
     pandoc a.md
     socat - EXEC:./a`
      .split('\n')
      .map((line) => line.trim()),
  )('[RULE6.1] %s', (command) => {
    expect(needsMore(command)).toBe(true);
  });

  it.each([
    'git remote -v',
    'git remote',
    'curl -s http://b',
    'kubectl get pods',
    'rspec spec/a.rb',
    'playwright test a.spec.ts',
    'diff3 a b c',
  ])('[RULE6] a broad rule covers %s', (command) => {
    expect(needsMore(command)).toBe(false);
  });

  it.each([
    ['hatch run rm x', 'rm'],
    ['mise exec -- rm x', 'rm'],
    ['op run -- rm x', 'rm'],
    ['cross-env A=1 rm x', 'rm'],
  ])('[RULE1] a deny rule finds the program that %s runs', (command, program) => {
    const found = subjectsOfCommand(command).some(
      (subject) => subject.kind === 'words' && subject.words[0] === program,
    );
    expect(found).toBe(true);
  });
});
