/** The host a link leads to, where its words do not say just that; undefined where they do. */
export function whereTo(href: string, words: string, base: string): string | undefined {
  // A footnote stays on this page.
  if (href.startsWith('#')) return undefined;
  const to = read(href, base);
  if (to === undefined) return href;
  const place = to.host === '' ? `${to.protocol}${to.pathname}` : to.host;
  // `https://bank@evil` reads as the bank: the words are its own address, and still name another host.
  if (to.username !== '' || to.password !== '') return place;
  const named = read(words.trim(), undefined) ?? read(`${to.protocol}//${words.trim()}`, undefined);
  if (to.host === '') return words.trim() === decoded(to.pathname) ? undefined : place;
  // Letters of other alphabets look like these: beside them stands the address as machines read it.
  return named?.host === to.host && !/[^!-~]/.test(words.trim()) ? undefined : place;
}

function read(address: string, base: string | undefined): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
