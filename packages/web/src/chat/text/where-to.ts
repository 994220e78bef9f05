/** The host of a link, unless its text already shows exactly that host. */
export function whereTo(href: string, words: string, base: string): string | undefined {
  // Footnote links stay on this page.
  if (href.startsWith('#')) return undefined;
  const to = read(href, base);
  if (to === undefined) return href;
  const place = to.host === '' ? `${to.protocol}${to.pathname}` : to.host;
  // `https://bank@evil` looks like the bank although it names another host.
  if (to.username !== '' || to.password !== '') return place;
  const named = read(words.trim(), undefined) ?? read(`${to.protocol}//${words.trim()}`, undefined);
  if (to.host === '') return words.trim() === decoded(to.pathname) ? undefined : place;
  // Letters from other alphabets can look like these, so show the ASCII form of the host.
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
