import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  directoryWords,
  remoteScript,
  type WithLogin,
} from '#/instances/commands/checkout-script.ts'

const words = ['read', 'unreachable', 'git-missing', ...directoryWords] as const

/** The commit of a branch at the origin; undefined when it could not be asked or has none. Changes nothing. */
export const branchTip = remoteScript<
  CheckoutPlace & WithLogin & { readonly branch: string },
  string | undefined
>(textFile('branch-tip.sh', import.meta.url), [], {
  args: ({ branch }) => [branch],
  read: (answer) => (answer.word('answer', words) === 'read' ? answer.text('tip') : '') || undefined,
})
