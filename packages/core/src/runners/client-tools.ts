import {
  checkWithJsonSchema,
  CountersignError,
  parseInput,
  slug,
  toolDefinitionSchema,
  toolNameSchema,
  type NewClient,
  type ToolDefinition,
} from '@countersign/protocol';
import type { ClientRecord, Tool } from '../ports/index.js';

/** The tools that a client registers, under the names that agents use. */
export function nameClientTools({ label, tools = [] }: NewClient, clientId: string): ToolDefinition[] {
  const handle = handleFor(label, clientId);
  return tools.map((tool) => named(handle, tool));
}

export function readClientTools(record: ClientRecord): Map<string, Tool> {
  return new Map(
    record.tools.map((raw) => {
      const definition = parseInput(toolDefinitionSchema, raw, `tool of client "${record.label}"`);
      return [definition.name, clientTool(definition)];
    }),
  );
}

function named(handle: string, tool: Omit<ToolDefinition, 'location'>): ToolDefinition {
  const name = `app__${handle}__${tool.name}`;
  parseInput(toolNameSchema, name, `tool "${tool.name}"`);
  const definition = parseInput(toolDefinitionSchema, { ...tool, name, location: 'client' }, `tool "${tool.name}"`);
  checkSchema(definition);
  return definition;
}

function checkSchema(definition: ToolDefinition): void {
  if (definition.parameters['type'] !== 'object') {
    const must = 'parameters: must be a JSON Schema with "type": "object"';
    throw new CountersignError('invalid', `tool "${definition.name}": ${must}`, { field: 'parameters' });
  }
  try {
    checkWithJsonSchema(definition.parameters);
  } catch (error) {
    throw new CountersignError('invalid', `tool "${definition.name}": parameters: not a supported JSON Schema`, {
      field: 'parameters',
      cause: error,
    });
  }
}

/** Short, readable and unique: two clients with the same label must not share tool names. */
function handleFor(label: string, clientId: string): string {
  const readable = slug(label)
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 16);
  return `${readable === '' ? 'client' : readable}-${clientId.slice(-6)}`;
}

/** Client tools are not trusted: they need approval by default, and their own claims are ignored (CALL1). */
function clientTool(definition: ToolDefinition): Tool {
  return {
    definition,
    trusted: false,
    sandbox: () => ({ kind: 'client', network: 'unknown', hosts: [], readable: [] }),
    validate: checkWithJsonSchema(definition.parameters),
    execute: () => Promise.reject(new Error('client tools can only run in their client')),
  };
}
