import { textFile } from '@fleet/shell'
import { checkoutScript } from '#/instances/commands/checkout-script.ts'

const words = ['listed', 'root-missing', 'unsafe'] as const

export type ListedReleases =
  | {
      readonly word: 'listed'
      /** Complete ones, oldest first: names begin with their time. */
      readonly releases: readonly string[]
      /** What preparations and deletions left that did not come to their end. */
      readonly partial: readonly string[]
      readonly selected: string | undefined
    }
  | { readonly word: Exclude<(typeof words)[number], 'listed'> }

/** The releases of a production home, and the one that `current` leads to. */
export const listReleases = checkoutScript<
  { readonly checkoutPath: string; readonly preparationId: string },
  ListedReleases
>(textFile('list-releases.sh', import.meta.url), [], {
  read: (answer) => {
    const word = answer.word('answer', words)
    if (word !== 'listed') return { word }
    const named = (prefix: string): readonly string[] =>
      answer
        .names()
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
        .toSorted()
    const target = answer.has('selected') ? answer.text('selected') : ''
    const selected = /^releases\/([a-z0-9][a-z0-9-]{0,62})$/.exec(target)?.[1]
    const partial = named('partial.').filter((name) => answer.text(`partial.${name}`) === 'own')
    return { word, releases: named('release.'), partial, selected }
  },
})
