// Adds a comment to each field of the schemas in a declaration file. The compiler omits comments on inferred types, so an editor would
// show none for `turnLimit`.
import { parseSync, Visitor } from 'oxc-parser';
import { z } from 'zod';

/**
 * @typedef {object} SchemaField
 * @property {string} name
 * @property {readonly string[]} around the variable of its schema and the fields around it, outermost first
 * @property {readonly string[]} beside the names of all fields of its object
 * @property {number} start where it is in the text
 */

/**
 * The fields of all schemas in a declaration file.
 *
 * @param {string} text
 * @returns {SchemaField[]}
 */
export function schemaFields(text) {
  /** @type {SchemaField[]} */
  const fields = [];
  /** @type {string[]} */
  const around = [];
  /** @type {Set<import('oxc-parser').TSTypeLiteral>} */
  const shapes = new Set();
  const { program } = parseSync('x.d.ts', text);
  new Visitor({
    VariableDeclarator({ id }) {
      if (id.type === 'Identifier') around.push(id.name);
    },
    'VariableDeclarator:exit'({ id }) {
      if (id.type === 'Identifier') around.pop();
    },
    TSTypeReference({ typeName, typeArguments }) {
      const [shape] = typeArguments?.params ?? [];
      const isObject = typeName.type === 'TSQualifiedName' && typeName.right.name === 'ZodObject';
      if (isObject && shape?.type === 'TSTypeLiteral') shapes.add(shape);
    },
    TSTypeLiteral(shape) {
      if (!shapes.has(shape)) return;
      const members = shape.members.filter((member) => member.type === 'TSPropertySignature');
      const beside = members.map(({ key }) => keyOf(key));
      for (const { key, start } of members) fields.push({ name: keyOf(key), around: [...around], beside, start });
    },
    TSPropertySignature({ key }) {
      around.push(keyOf(key));
    },
    'TSPropertySignature:exit'() {
      around.pop();
    },
  }).visit(program);
  return fields;
}

/**
 * @param {string} text of a declaration file
 * @param {Readonly<Record<string, unknown>>} values by name, among them the schemas
 * @param {{ get(schema: import('zod').z.ZodType): { description?: string } | undefined }} texts
 */
export function describeSchemas(text, values, texts) {
  /** @type {Map<string, import('zod').z.ZodType>} */
  const schemas = new Map(
    Object.entries(values).flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, value]] : [])),
  );
  const all = objectsOf(values, schemas.values());
  let described = '';
  let copied = 0;
  for (const { name, around, beside, start } of schemaFields(text).toSorted((a, b) => a.start - b.start)) {
    if (text.slice(0, start).trimEnd().endsWith('*/')) continue;
    const [first = '', ...outer] = around;
    const own = outer.reduce(
      (objects, key) => objects.flatMap(({ shape }) => objectsIn(shape[key])),
      objectsIn(schemas.get(first)),
    );
    // A schema that its file keeps to itself is part of one that is exported.
    const objects = [...own, ...all].filter(({ shape }) => beside.every((key) => key in shape));
    const found = objects.map(({ shape }) => textOf(shape[name], texts)).find((sentence) => sentence !== undefined);
    if (found === undefined) continue;
    described += `${text.slice(copied, start)}/** ${found.replaceAll('*/', '* /')} */ `;
    copied = start;
  }
  return described + text.slice(copied);
}

/** @param {unknown} schema @returns {import('zod').z.ZodType[]} the schemas directly inside it, but not the fields of an object */
function partsOf(schema) {
  if (!(schema instanceof z.ZodType)) return [];
  const {
    innerType,
    element,
    options,
    valueType,
    left,
    right,
    in: input,
    out,
  } = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (schema.def));
  const parts = /** @type {unknown[]} */ ([innerType, element, valueType, left, right, input, out]);
  return [...parts, ...(Array.isArray(options) ? /** @type {unknown[]} */ (options) : [])].filter(
    (part) => part instanceof z.ZodType,
  );
}

/** @param {unknown} schema @returns {import('zod').z.ZodObject[]} */
function objectsIn(schema) {
  return schema instanceof z.ZodObject ? [schema] : partsOf(schema).flatMap(objectsIn);
}

/** @type {WeakMap<object, ReadonlySet<import('zod').z.ZodObject>>} */
const collected = new WeakMap();

/**
 * Every object in these schemas, at any depth. Found once for all files, and each object once: schemas share parts.
 *
 * @param {object} values
 * @param {Iterable<unknown>} schemas the schemas among them
 */
function objectsOf(values, schemas) {
  const known = collected.get(values);
  if (known !== undefined) return known;
  /** @type {Set<import('zod').z.ZodObject>} */
  const objects = new Set();
  /** @param {unknown} schema */
  const collect = (schema) => {
    for (const object of objectsIn(schema)) {
      if (objects.has(object)) continue;
      objects.add(object);
      Object.values(object.shape).forEach(collect);
    }
  };
  for (const schema of schemas) collect(schema);
  collected.set(values, objects);
  return objects;
}

/** @param {unknown} schema @param {Parameters<typeof describeSchemas>[2]} texts @returns {string | undefined} */
function textOf(schema, texts) {
  if (!(schema instanceof z.ZodType)) return undefined;
  const own = texts.get(schema)?.description;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodLiteral) return `Always ${JSON.stringify(schema.value)}.`;
  return partsOf(schema)
    .map((part) => textOf(part, texts))
    .find((sentence) => sentence !== undefined);
}

/** @param {import('oxc-parser').PropertyKey} key */
function keyOf(key) {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : '';
}
