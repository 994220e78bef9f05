import type { ListedTool } from '@countersign/protocol';

/** The default tools for a new agent: read-only ones. */
export function defaultTools(tools: readonly ListedTool[]): string[] {
  return tools.filter(isReadOnly).map(({ name }) => name);
}

/** As declared by us or by a trusted server; other declarations are ignored (CALL1). */
export function isReadOnly({ readOnly, trusted }: Pick<ListedTool, 'readOnly' | 'trusted'>): boolean {
  return readOnly === true && trusted;
}
