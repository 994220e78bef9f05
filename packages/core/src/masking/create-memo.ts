/** Caches results for the latest texts, up to a total number of characters. `make` must be pure. */
export function createMemo<T>(mostCharacters: number, make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  let characters = 0;
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (text.length > mostCharacters) return value;
    made.set(text, value);
    characters += text.length;
    for (const oldest of made.keys()) {
      if (characters <= mostCharacters) break;
      made.delete(oldest);
      characters -= oldest.length;
    }
    return value;
  };
}
