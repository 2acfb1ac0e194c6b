import { LITERALS } from '@fleet/contract'
import { type Answer, programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

const words = [
  'surveyed',
  'absent',
  'no-checkout',
  'unreadable',
  'linked',
  'foreign',
  'worktree',
  'git-missing',
] as const

/** A checkout that nobody manages yet. */
export interface Survey {
  /** URL of the origin; empty without one. */
  readonly origin: string
  /** Reference of HEAD; empty when it is detached. */
  readonly head: string
  /** Of HEAD; empty on a branch without a commit. */
  readonly commit: string
  /** Of the receipt that an Instance left in it; empty without one. */
  readonly preparation: string
  /** Of a linked worktree: the checkout that it belongs to. */
  readonly main: { readonly path: string; readonly preparation: string } | undefined
  /** Linked worktrees of it that are there, in the order of their paths. */
  readonly worktrees: readonly string[]
  /** It or one of its linked worktrees is a linked worktree with submodules. */
  readonly hasSubmodules: boolean
  /** The folder above it may be written to. */
  readonly isMovable: boolean
}

export type SurveyedSource =
  | { readonly word: 'surveyed'; readonly survey: Survey }
  | { readonly word: Exclude<(typeof words)[number], 'surveyed'> }

/** Looks at a checkout before its adoption, as the login account of the Node. Changes nothing. */
export const surveySource: NodeScript<{ readonly sourcePath: string }, SurveyedSource> = {
  source: programOf(textFile('survey-source.sh', import.meta.url), START),
  as: 'login',
  args: ({ sourcePath }) => [sourcePath, LITERALS.gitReceiptFolder],
  reasons: {},
  broken: 'instance.source_failed',
  read: (answer) => {
    const word = answer.word('answer', words)
    return word === 'surveyed' ? { word, survey: surveyIn(answer) } : { word }
  },
}

const surveyIn = (answer: Answer): Survey => ({
  origin: answer.text('origin'),
  head: answer.text('head'),
  commit: answer.text('commit'),
  preparation: answer.text('preparation'),
  main: answer.has('main')
    ? { path: answer.text('main'), preparation: answer.text('main.preparation') }
    : undefined,
  worktrees: answer
    .names()
    .filter((name) => name.startsWith('worktree.'))
    .map((name) => answer.text(name))
    .toSorted(),
  hasSubmodules: answer.flag('submodules'),
  isMovable: answer.flag('movable'),
})
