/** Matches a file name against a pattern in which `*` is any run of characters. Takes linear time for every pattern. */
export function matchName(pattern: string, name: string): boolean {
  let p = 0;
  let star = -1;
  let resume = 0;
  for (let n = 0; n < name.length;) {
    if (pattern[p] === '*') {
      star = p;
      resume = n;
      p += 1;
    } else if (pattern[p] === name[n]) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      p = star + 1;
      resume += 1;
      n = resume;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
