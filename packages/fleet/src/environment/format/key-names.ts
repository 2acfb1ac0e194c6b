import { fileText } from '#/environment/format/parse.ts'
import { type FormatProblem, FormatRefused } from '#/environment/format/refused.ts'
import { scan } from '#/environment/format/scan.ts'

export interface KeyNames {
  readonly names: ReadonlySet<string>
  /** The first place that is no assignment, if there is one: keys may hide behind it. */
  readonly problem?: FormatProblem
}

/**
 * The key names of a file that nobody promised to be valid (ENV-047). Duplicates, unknown escapes and unresolved expansions
 * do not matter here. Only scanned assignments give names: a guess could print a piece of a multi-line value.
 */
export function keyNames(content: Uint8Array): KeyNames {
  const names = new Set<string>()
  try {
    for (const item of scan(fileText(content))) {
      if (item.kind === 'problem') return { names, problem: { rule: item.rule, line: item.line } }
      names.add(item.key)
    }
  } catch (error) {
    if (error instanceof FormatRefused) return { names, problem: error.problem }
    throw error
  }
  return { names }
}
