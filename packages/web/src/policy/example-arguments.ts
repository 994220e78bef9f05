import type { ListedTool } from '@countersign/protocol';

/** A starting point: a tool's required arguments, with empty values. */
export function exampleArguments(tool: Pick<ListedTool, 'parameters'> | undefined): string {
  const required = tool?.parameters['required'];
  const properties = tool?.parameters['properties'];
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const known: Readonly<Record<string, unknown>> =
    typeof properties === 'object' && properties !== null ? { ...properties } : {};
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, emptyOf(known[name])])), null, 2);
}

function emptyOf(schema: unknown): unknown {
  const type = typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : 'string';
  switch (type) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '';
  }
}
