/** In their order. A list copied for each new member would cost the square of its length. */
export function groupBy<T>(members: Iterable<T>, keyOf: (member: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return groups;
}
