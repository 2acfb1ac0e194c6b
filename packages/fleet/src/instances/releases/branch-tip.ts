import { textFile } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript, directoryWords } from '#/instances/commands/checkout-script.ts'

const words = ['read', 'unreachable', 'git-missing', ...directoryWords] as const

/** The commit of a branch at the origin; undefined when it could not be asked or has none. Changes nothing. */
export const branchTip = checkoutScript<CheckoutPlace & { readonly branch: string }, string | undefined>(
  textFile('branch-tip.sh', import.meta.url),
  [],
  {
    isLong: true,
    args: ({ branch }) => [branch],
    read: (answer) => (answer.word('answer', words) === 'read' ? answer.text('tip') : '') || undefined,
  },
)
