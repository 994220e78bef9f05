/** Returns the id, or the id with the first free number appended. */
export async function freeId(base: string, taken: (id: string) => Promise<boolean>): Promise<string> {
  if (!(await taken(base))) return base;
  for (let number = 2; ; number += 1) {
    const id = `${base}-${number}`;
    if (!(await taken(id))) return id;
  }
}
