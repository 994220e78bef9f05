import { lazy, memo, type ReactElement, type ReactNode, Suspense, useId } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import { CopyButton } from '../../text/copy-button.js';
import { FoldedText } from '../../text/folded-text.js';
import { visibleText } from '../../text/visible-parts.js';
import type HighlightedView from './highlighted.js';
import { hasDefinitions } from './has-definitions.js';
import { isIntricate } from './is-intricate.js';
import { PlainInstead } from './plain-instead.js';
import { splitBlocks } from './split-blocks.js';
import { whereTo } from './where-to.js';
import { chatWords } from '../../words/chat.js';

/** Longer text is shown as plain text: parsing it as Markdown would block the page. */
const LONGEST = 60_000;
const LONGEST_LINE = 20_000;

/** Shows the plain text if the renderer's code can't be loaded because the server is unreachable. */
const Highlighted = lazy(() => import('./highlighted.js').catch(() => ({ default: Plain })));

const Plain: typeof HighlightedView = memo(function Plain({ text }: { text: string }): ReactElement {
  return <code>{text}</code>;
});

/** Prefix of footnote ids, to distinguish links within a message from external ones. */
const WITHIN = 'within-';

/** A footnote in this message, or the link back from it. Doesn't change the page's URL. */
function Within({ id, children, ...rest }: { id: string; children: ReactNode }): ReactElement {
  return (
    <a
      {...rest}
      href={`#${id}`}
      onClick={(event) => {
        event.preventDefault();
        const target = document.getElementById(id);
        target?.scrollIntoView({ block: 'nearest' });
        (target?.querySelector('a') ?? target)?.focus();
      }}
    >
      {children}
    </a>
  );
}

/** An external link. Shows its host if the link text differs; sends no referrer. */
function Away({ href, words, children }: { href: string; words: string; children: ReactNode }): ReactElement {
  const place = whereTo(href, words, location.href);
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
      {place === undefined ? null : <span className="text-ink-3 [overflow-wrap:anywhere]"> ({place})</span>}
    </>
  );
}

type Node = NonNullable<ExtraProps['node']>;

function wordsOf(node: Node | Node['children'][number] | undefined): string {
  if (node?.type === 'text') return node.value;
  return node?.type === 'element' ? node.children.map(wordsOf).join('') : '';
}

/** Matches only a language name: the text after a fence is untrusted. */
const LANGUAGE = /^[\w+#.-]{1,32}$/;

const components: Components = {
  a({ href, children, node, ...rest }) {
    if (href === undefined || href === '') return <>{children}</>;
    if (href.startsWith(`#${WITHIN}`))
      return (
        <Within {...rest} id={href.slice(1)}>
          {children}
        </Within>
      );
    return (
      <Away href={href} words={wordsOf(node)}>
        {children}
      </Away>
    );
  },
  // Loading an image would tell its sender that the message was read, and when.
  img({ src, alt }) {
    if (typeof src !== 'string') return <>{alt}</>;
    const words = alt === undefined || alt === '' ? src : alt;
    return (
      <Away href={src} words={words}>
        {chatWords.picture} {words}
      </Away>
    );
  },
  input({ checked }) {
    return (
      <span aria-label={checked === true ? chatWords.done : chatWords.toDo} role="img">
        {checked === true ? '☑' : '☐'}
      </span>
    );
  },
  pre({ node }) {
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
          {language === undefined || !LANGUAGE.test(language) ? (
            <code>{text}</code>
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
const pluginsWithBreaks = [remarkGfm, remarkBreaks];

const Block = memo(function Block({ text, breaks }: { text: string; breaks: boolean }): ReactElement {
  const clobberPrefix = `${WITHIN}${useId()}-`;
  if (isIntricate(text)) return <FoldedText text={text} first={4000} />;
  return (
    <PlainInstead text={text}>
      <ReactMarkdown
        remarkPlugins={breaks ? pluginsWithBreaks : plugins}
        remarkRehypeOptions={{ clobberPrefix }}
        components={components}
      >
        {text}
      </ReactMarkdown>
    </PlainInstead>
  );
});

/**
 * The text of a message. HTML is shown as text, and invisible characters as escapes. `breaks` keeps line breaks, for
 * text that a person typed or pasted.
 */
export const Markdown = memo(function Markdown({
  text,
  breaks = false,
}: {
  text: string;
  breaks?: boolean;
}): ReactElement {
  if (text.length > LONGEST || hasLongLine(text)) return <FoldedText text={text} first={4000} />;
  return (
    <div dir="auto" className="prose">
      {blocksOf(visibleText(text)).map((block, index) => (
        // Blocks can be keyed by index: text is only appended.
        <Block key={`${index}`} text={block} breaks={breaks} />
      ))}
    </div>
  );
});

function blocksOf(text: string): string[] {
  return hasDefinitions(text) ? [text] : splitBlocks(text);
}

function hasLongLine(text: string): boolean {
  return text.length > LONGEST_LINE && text.split('\n').some((line) => line.length > LONGEST_LINE);
}
