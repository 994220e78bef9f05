import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface EndShown {
  area: RefObject<HTMLDivElement | null>;
  marker: RefObject<HTMLDivElement | null>;
  /** For components that can fold part of the call (`FoldContext`). */
  reportFold: () => () => void;
  isFolded: boolean;
  /** Whether the end has been visible, with nothing folded. False while that is unknown. */
  wasShown: boolean;
  /** Number of lines below the visible part. */
  moreLines: number;
}

const LINE_PX = 20;

/** Whether the end of a scroll area has been visible. Starts over when `content` changes. */
export function useEndShown(content: string): EndShown {
  const area = useRef<HTMLDivElement>(null);
  const marker = useRef<HTMLDivElement>(null);
  const [folds, setFolds] = useState(0);
  const [shown, setShown] = useState<string>();
  const [moreLines, setMoreLines] = useState(0);
  const isFolded = folds > 0;
  const reportFold = useCallback(() => {
    setFolds((before) => before + 1);
    return () => setFolds((before) => before - 1);
  }, []);
  useEffect(() => {
    const end = marker.current;
    if (isFolded || end === null) return;
    // Relative to the window, not the area: an area that is itself off screen shows nothing.
    const observer = new IntersectionObserver((entries) => {
      if (entries.at(-1)?.isIntersecting === true) setShown(content);
    });
    observer.observe(end);
    return () => observer.disconnect();
  }, [content, isFolded]);
  useLayoutEffect(() => {
    const box = area.current;
    if (box === null) return;
    const count = (): void => {
      const hidden = (marker.current?.offsetTop ?? 0) - box.scrollTop - box.clientHeight;
      setMoreLines(Math.max(0, Math.ceil(hidden / LINE_PX)));
    };
    count();
    const observer = new ResizeObserver(count);
    observer.observe(box);
    if (box.firstElementChild !== null) observer.observe(box.firstElementChild);
    box.addEventListener('scroll', count, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', count);
    };
  }, []);
  return { area, marker, reportFold, isFolded, wasShown: !isFolded && shown === content, moreLines };
}
