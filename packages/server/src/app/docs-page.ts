import type { ApiDescription, Operation } from './describe-api.js';

/** A separate file, because the page's CSP forbids inline styles. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid; }
h3 { font-family: ui-monospace, monospace; font-size: 1rem; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid; border-radius: 0.25rem; font-size: 0.85rem; }
td, th { padding: 0.15rem 1rem 0.15rem 0; text-align: left; vertical-align: top; }
summary { cursor: pointer; }
`;

/** The API description as an HTML page without scripts or external resources. */
export function docsPage(api: ApiDescription): string {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [tag = ''] = operation.tags;
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationSection(method, path, operation)]);
    }
  }
  const tags = [...byTag].map(([tag, sections]) => `<h2 id="${escape(tag)}">${escape(tag)}</h2>${sections.join('')}`);
  const links = [...byTag.keys()].map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join(' · ');
  const schemas = Object.entries(api.components.schemas).map(
    ([name, schema]) => `<h3 id="schema-${escape(name)}">${escape(name)}</h3>${json(schema)}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(api.info.title)} API</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<h1>${escape(api.info.title)} API ${escape(api.info.version)}</h1>
<p>${escape(api.info.description)}</p>
<p>All paths are under <code>${escape(api.servers[0]?.url ?? '')}</code> and take <code>Authorization: Bearer …</code>.
Machine-readable: <code>openapi.json</code>.</p>
<p>${links} · <a href="#schemas">schemas</a></p>
${tags.join('\n')}
<h2 id="schemas">schemas</h2>
${schemas.join('\n')}
</body>
</html>
`;
}

function operationSection(method: string, path: string, operation: Operation): string {
  const rows = operation.parameters.map(
    ({ name, in: place, required, description }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}${required ? '' : ', optional'}</td><td>${escape(description ?? '')}</td></tr>`,
  );
  const answers = Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      `<tr><td>${escape(status)}</td><td>${escape(description)}</td><td>${Object.entries(content ?? {})
        .map(([type, { schema }]) => `${escape(type)} ${reference(schema)}`)
        .join('<br>')}</td></tr>`,
  );
  const body = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<details><summary>body, ${escape(type)}</summary>${json(schema)}</details>`,
  );
  return `<section><h3>${escape(method.toUpperCase())} ${escape(path)}</h3><p>${escape(operation.summary)}</p>
${operation.description === undefined ? '' : `<p>${escape(operation.description)}</p>`}
${rows.length === 0 ? '' : `<table>${rows.join('')}</table>`}${body.join('')}<table>${answers.join('')}</table></section>`;
}

function reference(schema: Record<string, unknown>): string {
  const name = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(schema))?.[1];
  return name === undefined ? '' : `<a href="#schema-${name}">${name}</a>`;
}

function json(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, undefined, 2))}</pre>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
