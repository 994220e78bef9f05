import { lazy, memo, type ReactElement, Suspense } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CopyButton } from '../ui/copy-button.js';
import { FoldedText } from '../ui/folded-text.js';
import { visibleText } from '../ui/visible-parts.js';
import { splitBlocks } from './split-blocks.js';

/** More than this is shown as plain text: reading it as Markdown would hold up the page. */
const LONGEST = 60_000;
const LONGEST_LINE = 20_000;

const Highlighted = lazy(() => import('./highlighted.js'));

const components: Components = {
  // Where a link leads is said beside it when its words say otherwise; nothing is told to the other side.
  a({ href, children }) {
    if (href === undefined || href === '') return <>{children}</>;
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    );
  },
  // A picture that loads by itself tells its sender that, and when, this was read.
  img({ src, alt }) {
    return typeof src === 'string' ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        picture: {alt === undefined || alt === '' ? src : alt}
      </a>
    ) : (
      <>{alt}</>
    );
  },
  input({ checked }) {
    return (
      <span aria-label={checked === true ? 'done' : 'to do'} role="img">
        {checked === true ? '☑' : '☐'}
      </span>
    );
  },
  pre({ children, node }) {
    const code = node?.children[0];
    const text =
      code?.type === 'element' ? code.children.map((part) => (part.type === 'text' ? part.value : '')).join('') : '';
    const names = code?.type === 'element' ? code.properties['className'] : undefined;
    const name = Array.isArray(names) ? names.map(String).find((each) => each.startsWith('language-')) : undefined;
    const language = name?.slice('language-'.length);
    return (
      <div className="overflow-hidden rounded-md border border-line bg-sunken">
        <div className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3 text-xs text-ink-3">
          <span>{language ?? 'text'}</span>
          <CopyButton text={text} />
        </div>
        <pre tabIndex={0} className="scroll-quiet overflow-x-auto px-3 py-2 leading-relaxed">
          {language === undefined ? (
            children
          ) : (
            <Suspense fallback={<code>{text}</code>}>
              <Highlighted language={language} text={text} />
            </Suspense>
          )}
        </pre>
      </div>
    );
  },
};

const plugins = [remarkGfm];

const Block = memo(function Block({ text }: { text: string }): ReactElement {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});

/** What somebody said. HTML in it is text; what can't be seen is shown by its number. */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactElement {
  if (text.length > LONGEST || hasLongLine(text)) return <FoldedText text={text} first={4000} />;
  return (
    <div dir="auto" className="prose">
      {splitBlocks(visibleText(text)).map((block, index) => (
        // A block keeps its place: text is only ever added at the end.
        <Block key={`${index}`} text={block} />
      ))}
    </div>
  );
});

function hasLongLine(text: string): boolean {
  return text.length > LONGEST_LINE && text.split('\n').some((line) => line.length > LONGEST_LINE);
}
