import { type ReactElement, useEffect, useState } from 'react';

/** A QR code, dark on light in both themes: phones read nothing else reliably. Absent until its code is loaded. */
export function QrCode({ text, label }: { text: string; label: string }): ReactElement {
  const [rows, setRows] = useState<readonly (readonly boolean[])[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void import('uqr').then(({ encode }) => {
      if (isCurrent) setRows(encode(text, { ecc: 'M', border: 2 }).data);
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length || 1} ${rows.length || 1}`}
      shapeRendering="crispEdges"
      className="mx-auto size-56 rounded-md"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
