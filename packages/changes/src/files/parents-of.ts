/** `a/b/c`: `a` and `a/b`. `/a/b`: `/a`. */
export function parentsOf(path: string): string[] {
  const names = path.split('/');
  return names.map((_, at) => names.slice(0, at).join('/')).filter((parent) => parent !== '');
}
