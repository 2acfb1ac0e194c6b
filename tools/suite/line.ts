/** One thing that the reporter reports the parent process. */
export type Line =
  | { readonly kind: 'start'; readonly name: string }
  | {
      readonly kind: 'pass'
      readonly name: string
      readonly milliseconds: number
    }
  /** Processor seconds of the tests of each file, by its path. */
  | { readonly kind: 'spent'; readonly files: Readonly<Record<string, number>> }
  | { readonly kind: 'skip'; readonly name: string; readonly reason: string }
  | {
      readonly kind: 'fail'
      readonly name: string
      readonly place: string
      /** The error in full; undefined where only a test inside this one failed. */
      readonly error: string | undefined
    }
  /** Every test that was asked for has ended. */
  | { readonly kind: 'idle' }
  /** The test runner has come to its end. */
  | { readonly kind: 'end' }

// A record separator (RFC 7464): tests print to the same stream, and no test prints this.
const MARK = '\u001e'

export const frame = (line: Line): string => `${MARK}${JSON.stringify(line)}\n`

/** Splits what a test process printed into the reporter's lines and everything else. */
export function unframe(text: string): { readonly lines: readonly Line[]; readonly rest: string } {
  const [first = '', ...framed] = text.split(MARK)
  const lines: Line[] = []
  let rest = first
  for (const part of framed) {
    const end = part.indexOf('\n')
    // A process that died in the middle of a line leaves one without an end.
    if (end === -1) continue
    lines.push(JSON.parse(part.slice(0, end)) as Line) // Written by `frame` above.
    rest += part.slice(end + 1)
  }
  return { lines, rest }
}
