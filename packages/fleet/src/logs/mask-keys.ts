const BEGIN = /-----BEGIN [A-Z0-9 ]+-----/
const END = /-----END [A-Z0-9 ]+-----/
const REDACTED = '[REDACTED]'
/** LOGS-023: anything longer is not a key, or its end is lost. */
const BLOCK_MAX_LINES = 200

/** Masks PEM blocks of up to 200 lines, the line they begin on and the one they end on from the marks on; as many lines come out. */
export function maskKeys(lines: readonly string[]): readonly string[] {
  let left = 0
  return lines.map((line) => {
    const [inside, rest] = left > 0 ? closed(line) : ['', line]
    left = rest === undefined ? left - 1 : 0
    if (rest === undefined) return inside
    const begin = BEGIN.exec(rest)
    if (!begin) return `${inside}${rest}`
    const [block, after] = closed(rest.slice(begin.index))
    if (after === undefined) left = BLOCK_MAX_LINES - 1
    return `${inside}${rest.slice(0, begin.index)}${block}${after ?? ''}`
  })
}

/** The masked part of a line inside a block, and what follows the block when it ends here. */
function closed(line: string): readonly [string, string | undefined] {
  const end = END.exec(line)
  return [REDACTED, end ? line.slice(end.index + end[0].length) : undefined]
}
