/**
 * How far the clock of a server is ahead of this one, by the header `Date` of its answer; negative where it is behind. Undefined where
 * they differ by no more than what is tolerated, and where the header says no time.
 */
export function clockAheadSeconds(
  date: string | undefined,
  now: Date,
  { toleratedSeconds }: { readonly toleratedSeconds: number },
): number | undefined {
  const seconds = Math.round((Date.parse(date ?? '') - now.getTime()) / 1000)
  return Math.abs(seconds) > toleratedSeconds ? seconds : undefined
}

/** Such as `720 s ahead of that of the gateway`, of a clock that is so far ahead, or behind where negative. */
export const clockApart = (aheadSeconds: number): string =>
  `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of the gateway`
