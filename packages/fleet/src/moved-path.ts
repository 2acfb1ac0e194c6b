/** Where a path is after the directory `from` got the path `to`; undefined for one outside of it. */
export const movedPath = (
  path: string,
  { from, to }: { readonly from: string; readonly to: string },
): string | undefined =>
  path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : undefined
