import { Secret } from '@fleet/kernel'
import { MalformedOutput, textFile } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript, directoryWords } from './checkout-script.ts'

const words = ['ended', 'bash-missing', ...directoryWords] as const

export interface StepRun extends CheckoutPlace {
  readonly command: string
  readonly limitSeconds: number
  /** For a setup step: the deployed checkout of the Node (PRJ-066). */
  readonly seed?: { readonly path: string; readonly commit: string } | undefined
}

export type StepEnd =
  | { readonly word: 'ended'; readonly end: 'timeout' | number }
  | { readonly word: Exclude<(typeof words)[number], 'ended'> }

/**
 * Runs one setup or teardown step: `bash -eu` at the repository root, no input, output thrown away, its process group
 * killed when it ends or its time is over, with every process that left the group (PRJ-065). Answers how it ended: its exit status, or `timeout`.
 * The command text travels on standard input, so no process list shows it.
 */
export const runStep = checkoutScript<StepRun, StepEnd>(textFile('run-step.sh', import.meta.url), [], {
  isLong: true,
  args: ({ limitSeconds, seed }) => [limitSeconds, seed?.path ?? '', seed?.commit ?? ''],
  stdin: ({ command }) => new Secret(command),
  read: (answer) => {
    const word = answer.word('answer', words)
    return word === 'ended' ? { word, end: endIn(answer.text('end')) } : { word }
  },
})

function endIn(text: string): 'timeout' | number {
  if (text === 'timeout') return text
  const [, status] = /^exit (\d{1,3})$/.exec(text) ?? []
  if (status === undefined) throw new MalformedOutput('not the end of a step')
  return Number(status)
}
