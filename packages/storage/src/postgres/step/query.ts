import type { Statement } from '../../queries/prepared.js';
import { toValue } from '../../text.js';
import { nameOf, numbered } from '../connection.js';

/** A query in the driver's format. */
export interface Query {
  name: string;
  text: string;
  values: unknown[];
}

export function queryOf<P>({ sql, names }: Statement<P, unknown>, parameters: P): Query {
  return namedQuery(
    numbered(sql),
    names.map((key) => toValue(parameters[key], key)),
  );
}

/** The query is named, so that the server parses and plans it once per connection. */
export function namedQuery(text: string, values: unknown[]): Query {
  return { name: nameOf(text), text, values };
}
