import { textFile } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript, directoryWords } from './checkout-script.ts'

const words = ['read', ...directoryWords] as const

export type HeadAnswer =
  | { readonly word: 'read'; readonly head: string }
  | { readonly word: (typeof directoryWords)[number] }

/** The reference that HEAD of the checkout names, such as `refs/heads/main`; empty for a commit without a branch. */
export const readHead = checkoutScript<CheckoutPlace, HeadAnswer>(
  textFile('read-head.sh', import.meta.url),
  [],
  {
    read: (answer) => {
      const word = answer.word('answer', words)
      return word === 'read' ? { word, head: answer.text('head') } : { word }
    },
  },
)
