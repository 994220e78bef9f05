/** The rules in an editor: one a line, without empty lines. A rule may go on where a line begins with blanks. */
export function rulesOf(text: string): string[] {
  const rules: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const last = rules.length - 1;
    if (/^\s/.test(line) && last >= 0) rules[last] = `${rules[last] ?? ''}\n${line}`;
    else rules.push(line.trimEnd());
  }
  return rules;
}
