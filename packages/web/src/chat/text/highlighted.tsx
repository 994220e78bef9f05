import { memo, type ReactElement } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';

const components: Components = { pre: ({ children }) => <>{children}</> };
const plugins = [rehypeHighlight];

/** Highlighted code; `language` is one word. Loaded on demand: the grammars are larger than the rest of the page. */
const Highlighted = memo(function Highlighted({ language, text }: { language: string; text: string }): ReactElement {
  // The fence is longer than any fence inside, so that code about Markdown doesn't end it.
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return (
    <ReactMarkdown rehypePlugins={plugins} components={components}>
      {`${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`}
    </ReactMarkdown>
  );
});

export default Highlighted;
