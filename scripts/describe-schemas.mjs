// Adds a comment to each field of the schemas in a declaration file. The compiler omits comments on inferred types, so an editor would
// show none for `turnLimit`.
import { parseSync, Visitor } from 'oxc-parser';

/**
 * Comments for fields that the API description lacks, such as those in queries and records. They only appear in the published
 * types, so they are not in the catalogue of the API.
 */
const MORE_TEXTS = {
  after: 'Continue after this position.',
  'SseEvent.attempt': 'The attempt that this chunk belongs to. A new attempt discards earlier chunks.',
  before: 'Read backwards from this position.',
  chat: 'Id of the chat.',
  first: 'The first record that the head covers.',
  force: 'Remove it even if agents use it.',
  limit: 'The maximum number of items to return.',
  offset: 'The number of characters before this chunk.',
  q: 'The words to search for.',
  'signature.key': 'The public key.',
  'UndoPreview.paths': 'Paths that have changed since the call.',
  'Effect.files': 'Paths that it changes, removed ones first.',
  'Effect.leftOut': 'Changes that will not be applied.',
  'Prediction.files': 'Paths that the command changed in the rehearsal, removed ones first.',
  'Prediction.leftOut': 'Changes of the rehearsal that would not be applied.',
  'Prediction.exitCode': 'Exit code of the command in the rehearsal.',
  'Prediction.output': 'What the command printed in the rehearsal.',
  'AuditRecord.edited': 'Set if a person edited the call before approving it.',
  'Effect.exitCode': 'Exit code of the command.',
  'Effect.output': 'What the command printed. The model gets it after an approval.',
  'ChangedFile.change': 'How the path changes. moved is a guess from equal content.',
  'ChangedFile.from': 'Where a moved file was before.',
  'ChangedFile.target': 'Where the link points.',
  'ChangedFile.diff': 'Change to a text file in `diff -u` format.',
  'ChangedFile.isNew': 'Set if the last question about this call didn’t show this change, or showed another one.',
  'ChangedFile.lines': 'How many lines of text the whole change adds and removes.',
  'ChangedFile.owner': 'Owner and group afterwards, such as `0:0`, if a file of another owner or group is replaced.',
  'ChangedFile.mediaType': 'Type of an added or changed binary file, by its first bytes.',
  'ChangedFile.contains': 'Number of files and links in a removed folder.',
  'SessionOffer.any': 'Whether the pattern `*` is accepted: every call of the tool. False outside the sandbox.',
  stream: 'The stream that the program wrote to.',
  world: 'Id of the world.',
  'McpCause.runner': 'Program that downloads packages, such as npx.',
  'McpCause.host': 'Host that the server tried to reach.',
  'McpCause.address': 'IP address of the host.',
  'McpCause.port': 'Port of the connection.',
  'McpCause.expired': 'Whether someone was signed in before.',
  'NeededSignatures.of': 'Group or person in the rule, without the @.',
  'NeededSignatures.person': 'Set if the rule names one person, not a group.',
  'NeededSignatures.notRequester': "Set if the person whose message led to the turn can't sign.",
  'NeededSignatures.signed': 'People whose signatures count, oldest first.',
  'NeededSignatures.may': 'Names of people who can sign now.',
  'NeededSignatures.eligible': 'How many people can sign or have signed.',
  'NeededSignatures.stuck': 'Why too few people can sign.',
};

/**
 * @typedef {object} SchemaField
 * @property {string} name
 * @property {readonly string[]} around its schema and the fields around it, outermost first
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
      if (id.type === 'Identifier') around.push(schemaName(id.name));
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
      for (const member of shape.members)
        if (member.type === 'TSPropertySignature')
          fields.push({ name: keyOf(member.key), around: [...around], start: member.start });
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
 * @param {Readonly<Record<string, string>>} texts by `field`, `Schema.field` or `outer.field`, as in the API description
 */
export function describeSchemas(text, texts) {
  /** @type {Record<string, string>} */
  const known = { ...MORE_TEXTS, ...texts };
  let described = '';
  let copied = 0;
  for (const { name, around, start } of schemaFields(text).toSorted((a, b) => a.start - b.start)) {
    const keys = [...around.toReversed().map((outer) => `${outer}.${name}`), name];
    const found = keys.map((key) => known[key]).find((sentence) => sentence !== undefined);
    if (found === undefined || text.slice(0, start).trimEnd().endsWith('*/')) continue;
    described += `${text.slice(copied, start)}/** ${found.replaceAll('*/', '* /')} */ `;
    copied = start;
  }
  return described + text.slice(copied);
}

/** `worldSettingsSchema` is `WorldSettings` in the API description. @param {string} name */
function schemaName(name) {
  return name.replace(/Schema$/, '').replace(/^./, (letter) => letter.toUpperCase());
}

/** @param {import('oxc-parser').PropertyKey} key */
function keyOf(key) {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : '';
}
