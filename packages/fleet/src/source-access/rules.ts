import { posix } from 'node:path'
import type { ServedCheckout } from '#/source-access/ports.ts'

/** Absolute web roots within a checkout: its own, and those of served checkouts nested in it. Each once, in order. */
export const webRootsIn = (served: readonly ServedCheckout[], checkoutPath: string): readonly string[] => {
  const roots = served
    .filter((one) => isWithin(one.checkoutPath, checkoutPath))
    .flatMap((one) => one.webRoots.map((root) => rootOf(one, root)))
  return [...new Set(roots)].toSorted()
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

const rootOf = ({ checkoutPath }: ServedCheckout, webRoot: string): string =>
  posix.join(checkoutPath, webRoot).replace(/\/$/, '')

const NAMED = 5

/** One sentence, or none (SRC-009). */
export const warningsOf = (unreadable: readonly string[], count: number): readonly string[] => {
  if (count === 0) return []
  const names = unreadable.slice(0, NAMED).join(', ')
  const rest = count > NAMED ? ` and ${count - NAMED} more` : ''
  return [
    `The web server cannot read ${names}${rest}: the group may not. To serve them, run \`chmod g+rX\` on them and repeat the command.`,
  ]
}
