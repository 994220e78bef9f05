export interface ShellPart {
  kind: 'plain' | 'string' | 'variable' | 'operator' | 'comment' | 'flag' | 'name';
  text: string;
}

const TOKEN =
  /(?<space>\s+)|(?<comment>#[^\n]*)|(?<single>'[^']*'?)|(?<double>"(?:\\[\s\S]|[^"\\])*"?)|(?<variable>\$\([^)]*\)?|\$\{[^}]*\}?|\$[\w@*#?$!-]+|`[^`]*`?)|(?<operator>&&|\|\||;;|>>|<<-?|[|;&<>(){}])|(?<word>(?:\\[\s\S]|[^\s'"$`|;&<>(){}\\])+)|(?<other>[\s\S])/gu;

/** Longer commands are shown without syntax colours, which are only an aid. */
const LONGEST = 20_000;

/** Splits a command for syntax colours. Nothing is dropped or changed: joining the parts gives the text. */
export function shellParts(command: string): ShellPart[] {
  if (command.length > LONGEST) return [{ kind: 'plain', text: command }];
  const parts: ShellPart[] = [];
  let atName = true;
  let beforeWord = true;
  for (const match of command.matchAll(TOKEN)) {
    const text = match[0];
    const { space, comment, single, double, variable, operator, word } = match.groups ?? {};
    if (space !== undefined) {
      if (text.includes('\n')) atName = true;
      beforeWord = true;
      parts.push({ kind: 'plain', text });
      continue;
    }
    // `#` starts a comment only where a word could start.
    if (comment !== undefined && beforeWord) parts.push({ kind: 'comment', text });
    else if (single !== undefined || double !== undefined) parts.push({ kind: 'string', text });
    else if (variable !== undefined) parts.push({ kind: 'variable', text });
    else if (operator !== undefined) parts.push({ kind: 'operator', text });
    else if (word !== undefined && atName && !/^\w+=/.test(text)) parts.push({ kind: 'name', text });
    else if (word !== undefined && beforeWord && text.startsWith('-')) parts.push({ kind: 'flag', text });
    else parts.push({ kind: 'plain', text });
    atName = operator !== undefined && !/[<>]/.test(text) ? true : atName && word !== undefined && /^\w+=/.test(text);
    beforeWord = operator !== undefined;
  }
  return parts;
}
