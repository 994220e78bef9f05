/** Follows JSON text, to find the names in `"scripts": { … }` of a `package.json`: they are those of commands, not of secrets. */
export interface ScriptsBlock {
  /** Whether the word is the name of a script. `quoted`: it is alone in double quotes. */
  isName(word: string, quoted: boolean): boolean;
  quote(): void;
}

export function createScriptsBlock(): ScriptsBlock {
  let isInString = false;
  /** What was read of `"scripts":{`, and everything after it until the `}`. */
  let read: '' | 'scripts' | 'scripts:' | 'scripts:{' = '';
  return {
    isName(word, quoted) {
      if (isInString) {
        if (read !== 'scripts:{') read = quoted && word === 'scripts' ? 'scripts' : '';
        return quoted && read === 'scripts:{';
      }
      if (read === 'scripts:{') read = word.startsWith('}') ? '' : read;
      else if (read !== '') read = next(`${read}${word}`);
      return false;
    },
    quote() {
      isInString = !isInString;
    },
  };
}

function next(read: string): '' | 'scripts:' | 'scripts:{' {
  return read === 'scripts:' || read === 'scripts:{' ? read : '';
}
