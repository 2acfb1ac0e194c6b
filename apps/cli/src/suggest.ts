/** The candidates nearest to a mistyped word, nearest first, at most three; none when all are far. */
export function suggest(word: string, candidates: readonly string[]): readonly string[] {
  const bound = Math.max(1, Math.floor(word.length / 3))
  return candidates
    .map((candidate) => ({
      candidate,
      far: candidate.startsWith(word) && word.length > 2 ? 0 : distance(word, candidate),
    }))
    .filter(({ far }) => far <= bound)
    .toSorted((a, b) => a.far - b.far || a.candidate.length - b.candidate.length)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** `Did you mean a or b?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string | undefined {
  const near = suggest(word, candidates).map((candidate) => prefix + candidate)
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`
}

/** Edits that turn one word into the other; two swapped neighbours count once. */
function distance(a: string, b: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const now = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      now.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (now[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + differs,
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    ;[before, last] = [last, now]
  }
  return last[b.length] ?? 0
}
