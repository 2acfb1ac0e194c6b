import type { FormatRule } from '#/environment/format/limits.ts'

export interface FormatProblem {
  readonly rule: FormatRule
  /** 1-based line of the file on which the entry begins. */
  readonly line?: number
  /** Present only when the key itself is well formed: anything else might be part of a value. */
  readonly key?: string
}

/** A file or value breaks a rule. Holds names and numbers, never a value (ENV-075). */
export class FormatRefused extends Error {
  override readonly name = 'FormatRefused'
  readonly problem: FormatProblem

  constructor(problem: FormatProblem) {
    super(`environment format: ${problem.rule}`)
    this.problem = problem
  }
}
