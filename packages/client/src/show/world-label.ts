import type { World } from '@countersign/protocol';

type Named = Pick<World, 'id' | 'name' | 'workingDirectory'>;

/** The name of a world in a list. If another one has the same name, with its folder, or with its id if it has no folder of its own. */
export function worldLabel({ id, name, workingDirectory }: Named, worlds: readonly Named[]): string {
  const isShared = worlds.some((other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase());
  return isShared ? `${name} (${workingDirectory ?? id})` : name;
}
